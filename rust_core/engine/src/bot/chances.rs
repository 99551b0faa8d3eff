//! What may still come, and what a discard may give away: counted on the open cards alone.

use crate::card::Card;
use crate::card_set::CardSet;
use crate::tables::{neighbours, of_ranks, shifted_down, shifted_up};
use crate::view::SeatView;

/// What a seat knows of the cards outside its own hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// Cards that lie nowhere open: the opponent's or the stock's.
    pub(super) hidden: CardSet,
    /// Cards that the opponent is known to hold.
    pub(super) known: CardSet,
}

impl Sight {
    pub(super) fn of(view: &SeatView<'_>) -> Self {
        let pile: CardSet = view.discard_pile().iter().copied().collect();
        let known = view.known_of_opponent();
        Self {
            hidden: CardSet::ALL - view.cards() - pile - known,
            known,
        }
    }
}

/// The cards outside the hand with which two or more of its cards make a meld.
pub(super) fn completing(hand: CardSet) -> CardSet {
    let cards = hand.mask();
    let (up, down) = (shifted_up(cards), shifted_down(cards));
    let runs = up & shifted_up(up) | down & shifted_down(down) | up & down;
    let (clubs, diamonds, hearts, spades) = (cards, cards >> 13, cards >> 26, cards >> 39);
    let pairs =
        clubs & (diamonds | hearts | spades) | diamonds & (hearts | spades) | hearts & spades;
    let sets = of_ranks(pairs & 0x1FFF);
    CardSet::from_mask_truncated((runs | sets) & !cards)
}

/// How many of the hidden cards would make or lengthen a meld.
#[allow(clippy::cast_possible_truncation, reason = "at most 52")]
pub(super) fn improving(hand: CardSet, hidden: CardSet) -> u32 {
    (completing(hand) & hidden).len() as u32
}

/// What a discard may give the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Danger {
    /// Pairs of cards, each hidden or known to be his, that make a meld with the discard.
    pub(super) melds: u32,
    /// Cards known to be his that are of its rank or next to it in its suit.
    pub(super) known: u32,
}

pub(super) fn danger(card: Card, sight: Sight) -> Danger {
    let theirs = sight.hidden | sight.known;
    let bit = CardSet::single(card).mask();
    let of_rank = CardSet::of_rank(card.rank()).without(card);
    let others = (theirs & of_rank).len();
    let sets = others * others.saturating_sub(1) / 2;
    let has = |mask: u64| mask != 0 && theirs.mask() & mask == mask;
    let (up, down) = (shifted_up(bit), shifted_down(bit));
    let (up2, down2) = (shifted_up(up), shifted_down(down));
    let runs = u32::from(up2 != 0 && has(up | up2))
        + u32::from(down2 != 0 && has(down | down2))
        + u32::from(up != 0 && down != 0 && has(up | down));
    let near = CardSet::from_mask_truncated(neighbours(bit)) | of_rank;
    #[allow(clippy::cast_possible_truncation, reason = "at most five")]
    Danger {
        melds: sets as u32 + runs,
        known: (near & sight.known).len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(text: &str) -> CardSet {
        text.parse().unwrap()
    }

    #[test]
    fn a_card_completes_what_makes_a_meld_with_it_and_nothing_else() {
        let is_completing = |hand: CardSet, card: Card| {
            crate::meld::all_melds().any(|meld| {
                meld.cards().len() == 3
                    && meld.cards().contains(card)
                    && meld.cards().without(card).is_subset(hand)
            })
        };
        for hand in [
            "QS KS AS 5C 7C",
            "AC 2C 9D 9H 9S",
            "JD QD KD 3H",
            "7C 7D",
            "",
        ] {
            let hand = cards(hand);
            let slow: CardSet = (CardSet::ALL - hand)
                .into_iter()
                .filter(|card| is_completing(hand, *card))
                .collect();
            assert_eq!(completing(hand), slow, "{hand}");
        }
    }

    #[test]
    fn what_lies_open_makes_no_meld_for_the_opponent() {
        let seven: Card = "7H".parse().unwrap();
        let all = Sight {
            hidden: CardSet::ALL.without(seven),
            known: CardSet::EMPTY,
        };
        assert_eq!(danger(seven, all).melds, 6);
        let fewer = Sight {
            hidden: all.hidden - cards("7C 7D 8H 6H"),
            known: cards("6H"),
        };
        // 5H and 6H are left of the runs, and of the sets none.
        assert_eq!(danger(seven, fewer), Danger { melds: 1, known: 1 });
        assert_eq!(danger("AC".parse().unwrap(), all).melds, 4);
    }
}
