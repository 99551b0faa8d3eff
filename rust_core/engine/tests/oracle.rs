//! The engine's choice of melds, discards and layoffs against brute force.

mod brute_force;

use brute_force::{Cards, Groups, without};
use ginrummy_engine::{
    Arrangement, Card, CardSet, Meld, best_arrangement, best_defence, best_discard, deadwood,
    deadwood_after_layoffs, minimal_arrangements, price_discards,
};
use proptest::prelude::*;

fn set_of(cards: &[Card]) -> CardSet {
    cards.iter().copied().collect()
}

fn groups_of(arrangement: &Arrangement) -> Groups {
    arrangement
        .melds
        .iter()
        .map(|meld| meld.cards().into_iter().collect())
        .collect()
}

fn melds_of(groups: &[Cards]) -> Vec<Meld> {
    groups
        .iter()
        .map(|cards| Meld::try_from(set_of(cards)).unwrap())
        .collect()
}

fn assert_arranged_as_by_brute_force(cards: &[Card]) {
    let hand = set_of(cards);
    let expected = brute_force::minimal_arrangements(cards);
    let found = minimal_arrangements(hand);
    assert_eq!(
        found.iter().map(groups_of).collect::<Vec<_>>(),
        expected,
        "{hand}"
    );
    let best = best_arrangement(hand);
    assert_eq!(best, found[0], "{hand}");
    assert_eq!(
        best.deadwood,
        set_of(&without(cards, &expected[0].concat())),
        "{hand}"
    );
    assert_eq!(best.deadwood_points, best.deadwood.points(), "{hand}");
    assert_eq!(deadwood(hand), best.deadwood_points, "{hand}");
}

fn assert_discards_as_by_brute_force(cards: &[Card], barred: Option<Card>) {
    let hand = set_of(cards);
    let expected: Vec<(Card, u32)> = cards
        .iter()
        .filter(|card| Some(**card) != barred)
        .map(|&card| (card, brute_force::least_deadwood(&without(cards, &[card]))))
        .collect();
    let prices: Vec<_> = price_discards(hand, barred)
        .iter()
        .map(|p| (p.card, p.deadwood_points))
        .collect();
    assert_eq!(prices, expected, "{hand} without {barred:?}");
    let best = best_discard(hand, barred);
    let expected = expected
        .into_iter()
        .min_by_key(|&(card, left)| (left, std::cmp::Reverse((card.rank(), card.suit()))));
    assert_eq!(
        Some((best.card, best.deadwood_points)),
        expected,
        "{hand} without {barred:?}"
    );
}

fn assert_defended_as_by_brute_force(knocker_melds: &[Cards], defender: &[Card]) {
    let (melds, hand) = (melds_of(knocker_melds), set_of(defender));
    let expected = brute_force::best_answer(knocker_melds, defender);
    assert_eq!(
        deadwood_after_layoffs(&melds, hand),
        expected.deadwood,
        "{melds:?} {hand}"
    );
    let defence = best_defence(&melds, hand);
    let layoffs: Vec<_> = defence
        .layoffs
        .iter()
        .map(|l| (l.card, l.meld_index))
        .collect();
    let order = brute_force::playable_order(knocker_melds, &expected);
    assert_eq!(layoffs, order, "{melds:?} {hand}");
    let rest = without(defender, &expected.laid_off);
    assert_eq!(
        defence.arrangement,
        best_arrangement(set_of(&rest)),
        "{melds:?} {hand}"
    );
    assert_eq!(
        defence.arrangement.deadwood_points, expected.deadwood,
        "{melds:?} {hand}"
    );
}

/// All cards of the ranks from `lowest` on, so many ranks.
fn of_neighbouring_ranks(lowest: u8, ranks: u8) -> Cards {
    Card::all()
        .filter(|card| (lowest..lowest + ranks).contains(&(card.rank() as u8)))
        .collect()
}

/// Cards to draw from: the whole deck, or six neighbouring ranks.
fn deck() -> impl Strategy<Value = Cards> {
    prop_oneof![
        Just(Card::all().collect::<Cards>()),
        (0u8..=7).prop_map(|lowest| of_neighbouring_ranks(lowest, 6)),
    ]
}

/// The deck's melds of at most five cards, and the deck, both shuffled.
fn shuffled() -> impl Strategy<Value = (Groups, Cards)> {
    deck().prop_flat_map(|deck| {
        let melds = brute_force::melds_in(&deck);
        let short = melds
            .into_iter()
            .filter(|meld| meld.len() <= 5)
            .collect::<Groups>();
        (Just(short).prop_shuffle(), Just(deck).prop_shuffle())
    })
}

/// The first of these melds that share no card with `taken` or each other, up to so many cards.
fn disjoint(melds: &[Cards], count: usize, most_cards: usize, taken: &[Card]) -> Groups {
    let mut chosen: Groups = Vec::new();
    for meld in melds {
        let cards = chosen.concat();
        let free = meld
            .iter()
            .all(|card| !cards.contains(card) && !taken.contains(card));
        if free && chosen.len() < count && cards.len() + meld.len() <= most_cards {
            chosen.push(meld.clone());
        }
    }
    chosen
}

/// These cards and the first of the deck that are neither among them nor taken, in card order.
fn filled_up(mut cards: Cards, deck: &[Card], len: usize, taken: &[Card]) -> Cards {
    let free = without(&without(deck, &cards), taken);
    cards.extend(free.iter().take(len.saturating_sub(cards.len())));
    cards.sort_unstable();
    cards
}

/// Hands as they are dealt (no meld placed) and as they are late (up to three melds placed).
fn hand_of(len: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Cards> {
    (shuffled(), 0usize..=3, len).prop_map(|((melds, deck), placed, len)| {
        filled_up(disjoint(&melds, placed, len, &[]).concat(), &deck, len, &[])
    })
}

/// A knocker's melds in any order and a defender's ten cards.
fn knock() -> impl Strategy<Value = (Groups, Cards)> {
    (shuffled(), 1usize..=3, 0usize..=2).prop_map(|((mut melds, deck), knocked, placed)| {
        let knocker_melds = disjoint(&melds, knocked, 10, &[]);
        let taken = knocker_melds.concat();
        melds.reverse();
        let defended = disjoint(&melds, placed, 10, &taken).concat();
        (knocker_melds, filled_up(defended, &deck, 10, &taken))
    })
}

/// A single suit's cards, chosen by the bits of a mask.
fn suit_cards(mask: u16) -> Cards {
    Card::all()
        .take(13)
        .filter(|card| mask >> card.index() & 1 == 1)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn arrangements_are_those_of_brute_force(cards in hand_of(0..=11)) {
        assert_arranged_as_by_brute_force(&cards);
    }

    #[test]
    fn every_discard_is_priced_as_by_brute_force(cards in hand_of(11..=11), barred in 0usize..22) {
        assert_discards_as_by_brute_force(&cards, cards.get(barred).copied());
    }

    #[test]
    fn the_defence_is_that_of_brute_force((knocker_melds, defender) in knock()) {
        assert_defended_as_by_brute_force(&knocker_melds, &defender);
    }

    #[test]
    fn deadwood_of_more_than_eleven_cards_is_right_too(cards in hand_of(12..=14)) {
        prop_assert_eq!(deadwood(set_of(&cards)), brute_force::least_deadwood(&cards));
    }
}

#[test]
fn every_hand_of_one_suit_is_arranged_as_by_brute_force() {
    let hands = (0..1u16 << 13).filter(|mask| mask.count_ones() <= 11);
    hands.for_each(|mask| assert_arranged_as_by_brute_force(&suit_cards(mask)));
}

#[test]
fn every_hand_of_three_neighbouring_ranks_is_arranged_as_by_brute_force() {
    for lowest in [0, 4, 9, 10] {
        let deck = of_neighbouring_ranks(lowest, 3);
        for mask in (0..1u16 << 12).filter(|mask| mask.count_ones() <= 11) {
            let hand: Cards = (0..12)
                .filter(|at| mask >> at & 1 == 1)
                .map(|at| deck[at])
                .collect();
            assert_arranged_as_by_brute_force(&hand);
            if hand.len() == 11 {
                assert_discards_as_by_brute_force(&hand, None);
                for &card in &hand {
                    assert_discards_as_by_brute_force(&hand, Some(card));
                }
            }
        }
    }
}

#[test]
fn every_defence_within_one_suit_is_that_of_brute_force() {
    let suit = suit_cards(0x1FFF);
    let runs: Groups = brute_force::melds_in(&suit)
        .into_iter()
        .filter(|r| r.len() <= 4)
        .collect();
    for first in &runs {
        for second in runs
            .iter()
            .filter(|second| second.iter().all(|c| !first.contains(c)))
        {
            let free = without(&suit, &[&first[..], second].concat());
            for mask in 0..1u16 << free.len() {
                let hand: Cards = (0..free.len())
                    .filter(|at| mask >> at & 1 == 1)
                    .map(|at| free[at])
                    .collect();
                assert_defended_as_by_brute_force(&[first.clone(), second.clone()], &hand);
            }
        }
    }
}
