### Everything that the program says, in English. ru.ftl has the same messages.

## The game's terms

term-match = match
term-hand = hand
term-dealer = dealer
term-non-dealer = non-dealer
term-stock = stock
term-discard-pile = discard pile
term-upcard = upcard
term-draw = draw
term-discard = discard
term-pass = pass
term-meld = meld
term-set = set
term-run = run
term-arrangement = arrangement
term-deadwood-cards = deadwood
term-deadwood-points = deadwood points
term-knock = knock
term-knocker = knocker
term-defender = defender
term-knock-limit = knock limit
term-gin = gin
term-big-gin = big gin
term-layoff = layoff
term-undercut = undercut
term-dead-hand = dead hand
term-box = box
term-game-bonus = game bonus
term-shutout = shutout

## People and counts

you = You
open-seat = (open seat)
unnamed-seat = seat { $seat }
dealer = dealer
away = away
points = { $points ->
    [one] { $points } point
   *[other] { $points } points
}
cards = { $count ->
    [one] { $count } card
   *[other] { $count } cards
}

## What happened

event-seat-taken = { $who ->
    [you] You sit down
   *[other] { $name } sits down
}
event-hand-dealt = { $who ->
    [you] Hand { $hand } · you deal · upcard { $upcard } · knock limit { $limit }
   *[other] Hand { $hand } · { $name } deals · upcard { $upcard } · knock limit { $limit }
}
points-doubled = A spade upcard: this hand's points count double
event-passed = { $who ->
    [you] You pass
   *[other] { $name } passes
}
event-drew = { $who ->
    [you] { $pile ->
        [discard] You take { $card } from the discard pile
       *[stock] You draw { $card } from the stock
    }
   *[other] { $pile ->
        [discard] { $name } takes { $card } from the discard pile
       *[stock] { $name } draws { $card } from the stock
    }
}
event-drew-unseen = { $who ->
    [you] { $pile ->
        [discard] You take from the discard pile
       *[stock] You draw from the stock
    }
   *[other] { $pile ->
        [discard] { $name } takes from the discard pile
       *[stock] { $name } draws from the stock
    }
}
event-discarded = { $who ->
    [you] You discard { $card }
   *[other] { $name } discards { $card }
}
event-knock = { $who ->
    [you] You knock with { $deadwood }
   *[other] { $name } knocks with { $deadwood }
}
event-gin = { $who ->
    [you] You go gin
   *[other] { $name } goes gin
}
event-big-gin = { $who ->
    [you] You go big gin
   *[other] { $name } goes big gin
}
knock-card-face-down = the knock card lies face down
event-laid-off = { $count ->
    [0] { $who ->
        [you] You lay nothing off
       *[other] { $name } lays nothing off
    }
   *[other] { $who ->
        [you] You lay off { $cards }
       *[other] { $name } lays off { $cards }
    }
}
event-timed-out = { $who ->
    [you] Your time ran out
   *[other] { $name } ran out of time
}
event-clock-extended = { $who ->
    [you] The server was down; you have new time
   *[other] The server was down; { $name } has new time
}
to-act = { $who ->
    [you] It is your turn
   *[other] { $name } is to act
}

## Results

outcome-knock = knock
outcome-undercut = undercut
outcome-gin = gin
outcome-big-gin = big gin
outcome-dead = dead hand
outcome-tie = tie
scored = { $who ->
    [you] Hand { $hand }: { $outcome } · you score { $points }
   *[other] Hand { $hand }: { $outcome } · { $name } scores { $points }
}
scored-dead = Hand { $hand }: dead hand · the stock ran out, nobody scores
scored-tie = Hand { $hand }: tie · nobody scores
deadwood-is = deadwood { $cards } = { $points }
no-deadwood = no deadwood
left-cards = left: { $cards }
laid-off-onto = { $card } on { $meld }
layoffs-were = laid off: { $layoffs }
match-ended = { $who ->
    [you] You win the match: { $because }
   *[other] { $name } wins the match: { $because }
}
match-ended-nobody = The match is over, nobody has won: { $because }
ended-target-reached = { $single ->
    [yes] the hand decides
   *[no] target reached
}
ended-resigned = { $who ->
    [you] you resigned
   *[other] the opponent resigned
}
ended-clock-expired = { $who ->
    [you] your time ran out
   *[other] the opponent's time ran out
}
ended-aborted = aborted
totals = Final totals: { $winner } to { $loser }

## Score sheet

sheet-title = Score sheet
sheet-hand = { $hand }. { $outcome }
sheet-hand-points = hand points
sheet-boxes = hands won
sheet-box-bonus = box bonus
sheet-game-bonus = game bonus
sheet-shutout = shutout
sheet-total = total
sheet-sum = All columns: { $name } { $first }, { $other } { $second }

## The table

heading = Gin Rummy · { $ruleset } · hand { $hand } · to { $target }
heading-single = Gin Rummy · { $ruleset } · hand { $hand } · single hand
knock-limit-is = { $limit ->
    [0] gin only
   *[other] knock with { $limit } or less
}
clock = { $who ->
    [you] your time { $time }
   *[other] time of { $name } { $time }
}
known-cards = took and holds { $cards }
waiting-for = Waiting for { $name } …
late = Your time ran out: { $done } for you.
late-only = Your time ran out.
late-drawn = { $card } drawn
late-discarded = { $card } discarded
late-passed = passed
late-laid-off = laid off as best
points-doubled-short = ×2 (spade upcard)
upcard = upcard
pile-count = discard pile { $count }
stock-count = stock { $count }
own-hand = { $name } · sorted by { $order }
own-cards = Your hand
order-melds = melds
order-suit = suit
order-rank = rank
counter = deadwood { $points }
counter-best = deadwood { $points }, { $left } after the best discard
counter-chosen = deadwood { $points }, { $left } without { $card }
can-knock-mark = (you can knock)
caption-new = new
caption-barred = held
label-set = set
label-run = run
label-deadwood = deadwood
hint-advice = Hint: { $text }
advice-are = Expected points:
advice-stock = stock
advice-take = take { $card }
advice-pass = pass
advice-discard = { $card }
advice-knock = knock { $card }
advice-big-gin = big gin
advice-lay-off = lay off
hint-discard = Hint: discard { $card }, which leaves { $left }
hint-knock = Hint: knock with { $card }, which leaves { $left }
hint-gin = Hint: gin, with { $card } down
hint-big-gin = Hint: declare big gin
prices-are = Left after a discard:
result-continue = Enter: go on

## Making groups

editing-knock = Your groups for a knock with { $card } down
editing-big-gin = Your groups for big gin
editing-lay-off = Your melds and layoffs

## Buttons and keys

button-stock = draw from the stock
button-take = take { $card }
button-pass = pass
button-auto-layoff = best melds and layoffs
button-own-layoff = arrange them yourself
key-yes = yes
key-no = no
key-move = move
key-place = put into a group
key-reset = as proposed
key-send-knock = knock like this
key-send-big-gin = declare like this
key-send-lay-off = send
key-back = back
key-choose = choose a card
key-discard = discard { $card }
key-unchoose = put back
key-knock = knock, { $left } left ({ $card } down)
key-gin = gin ({ $card } down)
key-big-gin = big gin
key-own-groups = knock with own groups
key-hint = hint
key-order = order
key-help = help
key-resign = resign
key-quit = quit

## Questions and refusals at the table

answer-yes-no = (y = yes, n = no)
ask-discard = Discard { $card }?
ask-resign = Resign the match? Your opponent wins it.
yes-or-no = Please answer y or n.
wait = It is not your turn.
nothing-asked = Nothing was asked.
allowed-keys = These keys do something now: { $keys }
allowed-places = A key for each place: { $places }; Enter sends, Esc goes back.
no-knock = No knock yet: the best discard leaves { $left }, the limit is { $limit }.
no-knock-with = No knock with { $card } down: that leaves too much.
no-gin = No gin: some deadwood would be left.
no-big-gin = No big gin now.
bad-group = Group { $number } is neither a set nor a run.
does-not-fit = { $card } does not fit that meld.
not-all-melded = Big gin needs all eleven cards in melds; { $left } is left.
over-limit = These groups leave { $left }; the limit is { $limit }.
not-now = Not possible now.
card-just-taken = The card just taken from the discard pile stays this turn.
card-not-held = You do not hold that card.
no-hints-here = This match gives no hints.
hint-later = Hints come when you have to discard.
hint-not-now = Hints come when it is your turn.
connection-lost = Connection lost, trying again …
connection-back = The connection is back.
action-refused = Refused: { $why }

## Typed commands: the first spelling is shown, the others are understood too

typed-stock = stock draw s
typed-take = take t
typed-pass = pass p
typed-discard = discard d
typed-knock = knock k
typed-gin = gin g
typed-big-gin = biggin big b
typed-layoff = layoff auto lay
typed-own = own m
typed-hint = hint h
typed-sort = sort order o
typed-help = help ?
typed-table = table show
typed-resign = resign
typed-quit = quit q exit
typed-yes = yes y
typed-no = no n
card-example = 7h
usage-stock = stock
usage-take = take
usage-pass = pass
usage-discard = discard 7h  (or only 7h)
usage-knock = knock  |  knock 7h  |  knock 7h : 3c 4c 5c, 9d 9h 9s
usage-gin = gin
usage-big-gin = biggin
usage-layoff = layoff  |  layoff 6h>a 7h>a  |  layoff 6h>a : 9d 9h 9s
usage-own = own
usage-hint = hint
usage-sort = sort  |  sort melds  |  sort suit  |  sort rank
usage-table = table
usage-resign = resign
usage-quit = quit
prompt = { $commands } >
prompt-groups = yes, no, or your groups: 3c 4c 5c, 9d 9h 9s >
prompt-groups-layoff = yes, no, or layoffs and groups: 6h>a 7h>a : 9d 9h 9s >
not-understood = "{ $text }" is no command and no card. Type help for the commands.
nothing-typed = Type a command; help lists them.
no-card = "{ $text }" is no card. A card is a rank (A 2-10 J Q K) and a suit (c d h s): 7h, 10s, Kd.
no-meld = "{ $text }": a layoff names a card and a meld, as in 6h>a. Melds: { $letters }
no-order = Sort by melds, suit or rank.
card-not-in-groups = { $card } is not among the cards to arrange.
card-twice = { $card } is named twice.
not-a-meld = "{ $text }" is no meld: a set is 3 or 4 cards of one rank, a run 3 or more in a row of one suit, from the ace up.
groups-or-yes = Answer yes or no, or type your groups.

## The page of keys

help-title = Keys
help-close = Any key closes this page.
help-limit = A knock may leave { $limit } points of deadwood in this hand.
help-points = Deadwood counts: an ace 1, 2 to 10 their pips, court cards 10.
help-key-arrows = ← →
help-key-enter = Enter, Space
help-key-escape = Esc
help-key-stock = s
help-key-take = t
help-key-pass = p
help-key-discard = d
help-key-knock = k
help-key-gin = g
help-key-big-gin = b
help-key-own-groups = m
help-key-layoff = a, e
help-key-hint = h
help-key-order = o
help-key-resign = x
help-key-quit = q
help-arrows = move to a card or a pile
help-enter = choose the card; once more: discard it
help-escape = put the chosen card back
help-stock = draw from the stock
help-take = take the top of the discard pile
help-pass = refuse the upcard
help-discard = discard the card
help-knock = knock, with the chosen card down or else the best one
help-gin = gin
help-big-gin = declare big gin with all eleven cards
help-own-groups = knock with your own groups, where the rules let you
help-own = make the groups yourself
help-layoff = after a knock: the best melds and layoffs, or your own
help-hint = show the best move with its reason, and what others may bring
help-order = sort by melds, suit or rank
help-sort = sort the hand
help-table = show the table again
help-resign = resign the match
help-quit = quit; the match is kept for --resume

## Choosing, starting, leaving

plain-welcome = Type a command, or help.
choose-ruleset = Which rules?
choose-bot = Against whom?
choose-prompt = Number or name [{ $default }]:
choose-again = Type a number from 1 to { $count } or a name: { $names }
ruleset-short = to 50; a quick match with big gin
ruleset-solo = to 100; you declare your melds and lay off yourself
ruleset-kawu = to 100; the winner deals, the knock card lies face down
ruleset-playgridia = one hand decides; only the pile's top card is seen
bot-simple = knocks at the first chance
bot-heuristic = remembers what was taken and discarded
bot-easy = a beginner: sees melds, and hardly looks at what you do
bot-normal = weighs chances and what a discard gives away
bot-hard = imagines what you may hold, a little
bot-expert = thinks through what you may hold: the strongest here
match-kept = The match is kept. Go on with: { $program } play --resume { $match }
verify-how = Check the deals with: { $program } verify { $match }
match-created = Match { $match }
join-how = Your opponent joins with: { $program } join { $match } --server { $server }
waiting = Waiting for the opponent … (Ctrl-C leaves; the seat is kept)
no-matches = No matches.
state-open = open
state-running = running
state-finished = finished
state-aborted = aborted
demo-title = Gin Rummy · ruleset { $ruleset } · this program against the bot { $bot } · { $match }
demo-server = Played over gRPC with ginrummy-server { $version }
interrupted = Interrupted.

## Rules

rules-how = All options of one of them: { $program } rules NAME
rules-change-how = Change an option with --rule NAME=VALUE, as in: { $program } play --ruleset { $ruleset } --rule knock_limit=5
rule-upcard-offer = upcard offer
rule-knock-limit = knock limit
rule-knocker-melds = knocker's melds
rule-layoffs = layoffs
rule-gin-bonus = gin bonus
rule-undercut-bonus = undercut bonus
rule-undercut-on-tie = a tie is an undercut
rule-big-gin = big gin
rule-big-gin-bonus = big gin bonus
rule-oklahoma = Oklahoma: the upcard sets the knock limit
rule-spades-double = a spade upcard doubles
rule-wall = two cards left in the stock
rule-allow-discard-taken = the card just taken may be discarded
rule-layoff-on-gin = layoffs on gin
rule-target = target
rule-dealer-rule = dealer of the next hand
rule-box-bonus = box bonus, for each hand won
rule-boxes-immediate = boxes count at once
rule-game-bonus = game bonus
rule-shutout = shutout, when the loser won no hand
rule-shutout-flat-bonus = flat shutout bonus
rule-hollywood = Hollywood: three columns
rule-pile-view = what is seen of the discard pile
rule-knock-card-face-down = knock card face down
value-on = on
value-off = off
value-none = none
value-single-hand = single hand
value-knocker-melds-auto = arranged by the table
value-knocker-melds-declared = declared by the player
value-knocker-melds-either = as the player likes
value-layoffs-auto = made by the table
value-layoffs-declared = declared by the defender
value-layoffs-either = as the defender likes
value-oklahoma-off = off
value-oklahoma-ace-is-one = on, an ace means 1
value-oklahoma-ace-is-gin = on, an ace means gin only
value-wall-dead = dead hand
value-wall-last-chance = last chance to take and knock
value-dealer-rule-alternate = alternates
value-dealer-rule-winner = the winner
value-dealer-rule-loser = the loser
value-shutout-none = no extra
value-shutout-double-game-bonus = game bonus twice
value-shutout-double-hand-points = hand points twice
value-shutout-double-total = everything twice
value-shutout-double-total-before-boxes = everything but boxes twice
value-shutout-flat-bonus = a flat bonus
value-pile-view-all = all of it
value-pile-view-top-only = its top card
manners-clock = time for a turn
manners-hints = hints
manners-bot = usual bot
seconds = { $seconds } s
clock-of = { $clock } (of { $allowed })

## Checking the deals

verify-seed = Seed:       { $seed }
verify-published = Commitment: { $commitment }
verify-ok = ok
verify-bad = WRONG
verify-commitment = the seed is the one that was committed to (SHA-256)
verify-promised = the commitment is the one that was shown when the match was created
verify-seed-missing = the server opened no seed of 32 bytes
verify-first-dealer = the seed names the first dealer
verify-hand = hand { $hand }: both hands and the upcard
verify-stock = hand { $hand }: a card from the stock is not the one that lay there
verify-sequence = events are missing
verify-draws = { $count ->
    [one] { $count } card drawn from the stock
   *[other] { $count } cards drawn from the stock
}
verify-all-right = Every card was dealt as the seed says.
verify-wrong = The deals do not agree with the seed.

## Failures

error = ginrummy: { $what }
try-help = Help: { $command } --help
no-server-program = ginrummy-server is not installed. Install it (pip install "ginrummy-cli[server]"), or name a server: --server HOST:PORT
server-did-not-start = The private server did not start: { $why }
cannot-connect = No server answers at { $server } ({ $why }).
cannot-read-file = --{ $option } { $file }: { $why }.
no-text-file = --{ $option } { $file }: this is no text.
no-key-in-file = --api-key-file { $file }: one line with the key is needed.
client-cert-and-key = --tls-client-cert and --tls-client-key go together.
error-bad-key = This server needs an API key that it knows: --api-key-file FILE, or GINRUMMY_API_KEY.
server-needed = Two people need a server that both can reach. Start one with "ginrummy-server --port 50051", then add: --server localhost:50051
no-saved-match = You hold no seat of { $match } on this computer.
played-elsewhere = You are playing { $match } in another terminal: go on there, or quit there first.
nothing-to-resume = There is no unfinished match to go on with.
seat-is-yours = No seat is open, but you hold one: { $program } play --resume { $match } --server { $server }
not-finished = { $match } is not over yet; its deals can be checked when it is.
input-ended = The input has ended.
unknown-ruleset = There is no ruleset "{ $name }" here. Rulesets: { $allowed }
unknown-bot = There is no bot "{ $name }" here. Bots: { $allowed }
bad-rule-name = The rules have no option "{ $name }". Options: { $allowed }
bad-rule-value = { $name } cannot be "{ $value }". Allowed: { $allowed }
bad-rule-number = { $name } has to be a whole number, not "{ $value }".
seed-or-replay = --seed and --replay do not go together.
no-command = There is no command "{ $name }". Commands: { $allowed }
no-option = There is no option { $name } here.
no-option-but = There is no option { $name } here. Did you mean { $near }?
extra-argument = What is { $name } for? There is one argument too many.
missing-argument = { $name } is missing.
bad-value = { $name }: { $why }
option-needs-value = { $name } needs a value.
allowed-values = "{ $value }" is not allowed. Allowed: { $allowed }
allowed-numbers = "{ $value }" is not allowed. Allowed: { $least } to { $most }

field-fault = { $what } ({ $option }): { $why }
fault-range = "{ $value }" is not allowed. Allowed: { $least } to { $most }
fault-target = "{ $value }" is not allowed. Allowed: 50 to 500, or 0 for a single hand
fault-not-offered = { $ruleset } allows these, in seconds: { $allowed }
fault-shortest-turn = 0 for no clock, or at least { $least } seconds
fault-hollywood = needs a target of 50 to 500; a single hand has no columns
fault-spades-double = needs Oklahoma (oklahoma=ace_is_one or ace_is_gin)
fault-oklahoma = needs a knock limit above 0
fault-big-gin-bonus = needs big gin (big_gin=on)
fault-layoffs = auto and either are allowed
fault-shutout-flat-bonus = goes with shutout=flat_bonus, and is 1 to 1000 there
fault-matches-per-pairing = 2 to 1,000,000, and even, since each deal is played twice; with --single-deals any number from 1 on
fault-entrants = two to eight bots take part, with commas between them
fault-label = each needs a name of its own: one=simple,two=simple
fault-of-matches-per-pairing = matches of a pair
fault-of-entrants = bots
fault-of-label = names of the bots

error-not-your-turn = It is not your turn.
error-stale-sequence = The match has moved on. Look again and decide.
error-match-over = The match is over.
error-match-not-over = The match is not over yet.
error-no-open-seat = No seat is open in this match.
error-match-not-found = There is no such match on this server. "{ $program } list" shows them.
error-ruleset-not-found = There is no such ruleset on this server. "{ $program } rules" shows them.
error-bot-not-found = There is no bot "{ $bot }" on this server. It has: { $known }
error-bad-token = The server does not accept the kept token of this seat, or the match lets nobody watch.
error-wrong-seat = This match does not let you do that.
error-seeds-not-allowed = This server does not let two people choose the deals (ginrummy-server --allow-seeds).
error-wrong-phase = Not possible now.
error-hand-over = This hand is over.
error-no-last-chance = The last discard may be taken only to knock, and no knock is possible.
error-must-knock = That card was taken to knock: knock now.
error-no-pass = There is nothing to pass.
error-must-draw-stock = The upcard was refused; draw from the stock.
error-card-not-in-hand = You do not hold that card.
error-discard-just-taken = The card just taken from the discard pile stays this turn.
error-bad-melds = These groups are not melds of your cards.
error-over-knock-limit = That leaves { $deadwood }; the limit is { $limit }.
error-big-gin-off = These rules have no big gin.
error-not-all-melded = Big gin needs all eleven cards in melds; { $deadwood } is left.
error-no-layoff-after-gin = Nothing is laid off after gin.
error-does-not-fit = { $card } does not fit that meld.

## Help pages

help-usage = Usage
help-options = options
help-commands = commands
help-command = COMMAND
help-examples = examples
about = Gin Rummy in the terminal: against a bot, or between two people through one server.
examples =
    { $program } demo                           a whole match, told event by event
    { $program } play                           play; you are asked for rules and opponent
    { $program } play --ruleset solo --lang ru
    { $program } play --resume                  go on with an interrupted match
    { $program } analyze "AS 2S 3S 9D"          melds, deadwood, best discard
    { $program } COMMAND --help                 more about a command
short-demo = watch a whole match being played
about-demo = Starts a server of its own, plays a match against a bot over the API, prints every event down to the score sheet, and ends the server.
examples-demo =
    { $program } demo
    { $program } demo --ruleset kawu --delay 0.5
    { $program } demo --seed tuesday            the same deals every time
    { $program } demo --json | head             one event a line
short-play = play against a bot
about-play = Plays a match against a bot. Without --server it starts a server of its own, keeps its matches in your state folder, and ends it afterwards.
examples-play =
    { $program } play
    { $program } play --ruleset short --bot simple --hints
    { $program } play --ruleset solo --target 200
    { $program } play --rule oklahoma=ace_is_gin --rule spades_double=on
    { $program } play --seed tuesday            chosen deals
    { $program } play --replay MATCH            the deals of a finished match again
    { $program } play --resume                  the latest unfinished match
short-new = set a table for two people
about-new = Creates a match with an open seat on a server, tells how to join it, waits for the opponent and plays.
examples-new =
    ginrummy-server --port 50051
    { $program } new --server localhost:50051 --name Ann
    { $program } new --server localhost:50051 --ruleset playgridia --turn-time 60
short-join = take the open seat of a match
about-join = Takes the open seat of a match and plays.
examples-join =
    { $program } join MATCH --server localhost:50051 --name Bob
    { $program } list --joinable --server localhost:50051
short-watch = watch a match
about-watch = Tells a match from its beginning to its end, as far as spectators may know it.
examples-watch =
    { $program } watch MATCH --server localhost:50051
    { $program } watch MATCH --server localhost:50051 --json
short-list = list matches
about-list = Lists the server's matches, the latest first; without --server those of your private server.
examples-list =
    { $program } list
    { $program } list --joinable --server localhost:50051
short-rules = show the rules of a ruleset
about-rules = Lists the rulesets, or shows one of them with every option.
examples-rules =
    { $program } rules
    { $program } rules kawu
    { $program } rules short --rule oklahoma=ace_is_gin
short-simulate = have bots play each other, by the thousand
about-simulate = Has bots play each other and tells who wins how often, how hands end and what they are worth, each with its 95 % interval. Each deal is played twice, seats exchanged, so that luck of the cards cancels out. The same seed gives the same result. Ctrl-C ends it and shows what was played.
examples-simulate =
    { $program } simulate --ruleset short --bots heuristic,simple --matches 10000
    { $program } simulate --bots simple,simple --rule undercut_bonus=10 --plot undercut.png
    { $program } simulate --bots a=simple,b=simple --single-deals --seed tuesday --csv points.csv
    { $program } simulate --bots expert,hard --matches 1000 --detach --server localhost:50051
    { $program } simulate --follow simulations/ID --server localhost:50051
short-analyze = melds, deadwood and the best discard of a hand
about-analyze = Tells how a hand is best arranged, what each discard would leave, and whether it can knock or go gin; or, with --layoffs-on, what a defender does best against a knock. With - in place of the hand, each line of standard input is one.
examples-analyze =
    { $program } analyze "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"
    { $program } analyze AS 2S 3S 8C 8D 8H TC JC QC KC 9D --barred 9D
    { $program } analyze "7H 8H KS AC 2D" --layoffs-on "4H 5H 6H" --layoffs-on "9C 9D 9S"
    { $program } analyze - --json <hands.txt
analyze-melds = Melds
analyze-or-melds = Or
analyze-deadwood = Deadwood
analyze-table = On the table
analyze-layoffs = Lay off
analyze-left = Left
analyze-discard = Discard
analyze-leaves = leaves
analyze-none = none
analyze-gin = gin
analyze-knock = knock
analyze-big-gin = Big gin: all eleven cards are in melds
analyze-can-gin = Gin, with { $card } down
analyze-can-knock = You can knock with { $card }, which leaves { $left }
analyze-is-gin = Gin: no deadwood
analyze-is-knock = Within the knock limit
analyze-best = discard { $card }, { $left } left
analyze-short-layoffs = lay off { $layoffs } · left { $left }
no-hand = There is no hand to look at: "AS 2S 3S 9D", or - for lines of standard input.
barred-not-held = { $card } of --barred is not among the cards.
one-barred-card = --barred names one card.
too-many-cards = { $count } cards: { $most } are the most here.
bad-hand = { $why }
bad-line = line { $row }: { $why }
bad-lines = { $count ->
    [one] { $count } line could not be read
   *[other] { $count } lines could not be read
}
option-layoffs-on = a meld of the knocker's, for layoffs; can be repeated
option-barred = the card just taken from the pile, which may not be discarded
option-all = every arrangement of least deadwood
short-verify = check the deals of a finished match
about-verify = Checks that a finished match was dealt as promised: the opened seed has to have the published SHA-256, and every hand dealt from it again has to be the one that was played. The check is this program's own and trusts no server.
examples-verify =
    { $program } verify MATCH
    { $program } verify MATCH --server localhost:50051 --json
option-help = show this page
option-lang = language of the program; else that of your locale
option-server = server to use (or GINRUMMY_SERVER); else a private one
option-server-for-two = the server that both reach (or GINRUMMY_SERVER)
option-version = show the version
option-tls = speak TLS with the named server (or GINRUMMY_TLS)
option-tls-ca = who signs that server's certificate (or GINRUMMY_TLS_CA); means TLS
option-tls-client-cert = the certificate to show to that server (or GINRUMMY_TLS_CLIENT_CERT)
option-tls-client-key = the key of that certificate (or GINRUMMY_TLS_CLIENT_KEY)
option-api-key-file = the API key that the server asks for; or GINRUMMY_API_KEY, the key itself
option-json = lines of JSON instead of text
option-seed = fixes the deals: 64 hex digits, or any text
option-ruleset = playgridia, solo, kawu or short
option-bot = who plays against you
option-name = your name, as others see it
option-target = points that win the match; 0 = a single hand
option-rule = an option of the rules; may be repeated; "{ $program } rules RULESET" lists them
option-hints = let hints be given, or not
option-turn-time = seconds for a turn; 0 = no clock
option-spectators = what others may watch
option-replay = deal the cards of this finished match again
option-resume = go on with this match, or the latest
option-seat = which seat to take, 1 or 2
option-resume-seat = which seat to go on with, when you hold both
option-delay = seconds to wait after each event
option-bots = who plays: two to eight, each against each; LABEL=NAME gives a name of your own
option-matches = matches of each pair; an even number, unless the deals are single
option-single-deals = play each deal once, not twice with the seats exchanged
option-plot = draw it into this file (.png, .svg, .pdf)
option-csv = write the figures into this file
option-detach = do not wait for the end; print the name for --follow
option-follow = show one that was begun before; Ctrl-C does not end it
option-joinable = only matches with an open seat
option-limit = how many at most

## Simulations

simulation-title = { $ruleset }: { $done } of { $total } matches
simulation-cancelled = Cancelled: these are the matches that were played.
simulation-queued = waits for room on the server
simulation-rate = { $rate } matches/s, { $left } left
simulation-entrant = bot
simulation-matches = matches
simulation-wins = won
simulation-win-rate = share won
simulation-points = points a hand
simulation-first-wins = the first wins { $rate }
simulation-totals = difference of final totals: { $difference }
simulation-hands = hands: { $hands }, { $each } a match
simulation-unfinished = { $matches ->
    [one] { $matches } match did not end and was given up
   *[other] { $matches } matches did not end and were given up
}
simulation-how = of all hands, won by
simulation-duplicate = In brackets: 95 % intervals. Each deal was played twice, seats exchanged, and is one observation.
simulation-single = In brackets: 95 % intervals. Each deal was played once.
simulation-seed = Seed: { $seed }
simulation-failed = The simulation failed: { $why }
simulate-needs-server = --detach and --follow need a server that goes on: --server HOST:PORT.
end-knocks = knock
end-gins = gin
end-big-gins = big gin
end-undercuts = undercut
end-dead = dead hand
end-tied = level, nothing scored
plot-format = { $path }: a picture ends in one of { $allowed }.
plot-needs = A picture needs matplotlib; install it with: pip install 'ginrummy-cli[plot]'
plot-win-rate = matches won, %, with 95 % interval
plot-ends = won hands by how they ended, % of all hands
plot-points = the first one's points in a hand less the second's
plot-share = % of hands
cannot-write = { $path } cannot be written: { $why }
no-folder = { $path } cannot be written: there is no such folder.
error-simulation-not-found = There is no such simulation.
