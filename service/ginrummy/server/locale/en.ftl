### What suggestions say, in English. ru.ftl has the same messages.

## What to do, and what speaks for it

discard-lowers-deadwood = Discard { $card }: that leaves { points }.
discard-keeps-chances = Discard { $card }: that leaves { points }, and more cards can then better your hand.
discard-safe-discard = Discard { $card }: it helps your opponent less than others would, and leaves { points }.
discard-wait-for-gin = Discard { $card } and wait for gin: that leaves { points }.
discard-only-action = Discard { $card }: there is nothing else to do.
draw-discard-completes-meld = Take { $card }: it fits a meld and leaves { points } instead of { $before }.
draw-discard-lowers-deadwood = Take { $card }: it leaves { points } instead of { $before }.
draw-discard-keeps-chances = Take { $card }: it leaves { points }, and more cards can then better your hand.
draw-discard-nothing-gained = Take { $card }: it does not better your hand, and leaves { points }.
draw-discard-knock-now = Take { $card } to knock: that leaves { points }, and the limit is { $limit }.
draw-discard-undercut-risk = Take { $card } to knock: that leaves { points }, but there is a risk of an undercut.
draw-discard-gin = Take { $card } for gin.
draw-discard-only-action = Take { $card }: there is nothing else to do.
draw-stock-keeps-chances = Draw from the stock.
draw-stock-nothing-gained = Draw from the stock: { $card } does nothing for your hand.
draw-stock-only-action = Draw from the stock: there is nothing else to do.
pass-keeps-chances = Pass and leave { $card }.
pass-nothing-gained = Pass: { $card } does nothing for your hand.
pass-only-action = Pass: there is nothing else to do.
knock-knock-now = Knock and put down { $card }: { points }, and the limit is { $limit }.
knock-undercut-risk = Knock and put down { $card }: { points }, but there is a risk of an undercut.
knock-gin = Gin! Put down { $card }: all ten cards are in melds.
big-gin-gin = Declare big gin: all eleven cards are in melds.
lay-off-lays-off = Lay off all that fits best: { points } would be left.

## What else is worth knowing

improving = { $improving ->
    [one] { $improving } unseen card would better your melds.
   *[other] { $improving } unseen cards would better your melds.
}
no-improving = No unseen card would better your melds.
danger = { $danger ->
    [one] Your opponent could be making { $danger } meld with it.
   *[other] Your opponent could be making { $danger } melds with it.
}
undercut = { $undercut } % of such knocks are undercut.

## Numbers

points = { $points ->
    [one] { $points } point of deadwood
   *[other] { $points } points of deadwood
}
