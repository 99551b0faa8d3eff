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
ended-target-reached = target reached
ended-resigned = the opponent resigned
ended-clock-expired = the opponent's time ran out
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

heading = Gin Rummy · { $ruleset } · hand { $hand } · to { $target } · knock with { $limit } or less
heading-single = Gin Rummy · { $ruleset } · hand { $hand } · single hand · knock with { $limit } or less
known-cards = took and holds { $cards }
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
deadwood = deadwood
label-set = set
label-run = run
label-deadwood = deadwood
hint-discard = Hint: discard { $card }, which leaves { $left }
hint-knock = Hint: knock with { $card }, which leaves { $left }
hint-gin = Hint: gin, with { $card } down
hint-big-gin = Hint: declare big gin
result-continue = Enter: go on
result-title = Result

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
groups-or-yes = Answer yes or no, or type your groups.

## The page of keys

help-title = Keys
help-close = Any key closes this page.
help-limit = A knock may leave { $limit } points of deadwood in this hand: A 1, 2 to 10 their pips, J Q K 10.
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
help-hint = show the best move and what each discard leaves
help-order = sort by melds, suit or rank
help-sort = sort the hand
help-table = show the table again
help-resign = resign the match
help-quit = quit; the match is kept for --resume
