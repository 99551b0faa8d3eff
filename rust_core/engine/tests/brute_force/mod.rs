//! Melds, arrangements and layoffs by trying everything: slow, and written from the rules with
//! nothing of the engine but its `Card`.

use std::collections::HashSet;

use ginrummy_engine::Card;

/// Cards in card order.
pub(crate) type Cards = Vec<Card>;

/// Melds in card order of their first cards.
pub(crate) type Groups = Vec<Cards>;

/// Every set and run that these cards hold.
pub(crate) fn melds_in(cards: &[Card]) -> Groups {
    let mut melds = Vec::new();
    for &first in cards {
        let run_from = |len: u8| -> Cards {
            (0..len)
                .map_while(|step| Card::from_index(first.index() + step))
                .collect()
        };
        let runs = (3..=13).map(run_from).filter(|run| run.len() >= 3);
        melds.extend(runs.filter(|run| run.iter().all(|card| card.suit() == first.suit())));
        let others: Cards = cards
            .iter()
            .copied()
            .filter(|c| c.rank() == first.rank() && *c > first)
            .collect();
        for left_out in 0..=others.len() {
            let mut set = others.clone();
            if left_out < others.len() {
                set.remove(left_out);
            }
            set.insert(0, first);
            if set.len() >= 3 {
                melds.push(set);
            }
        }
    }
    melds.retain(|meld| meld.iter().all(|card| cards.contains(card)));
    melds.sort();
    melds.dedup();
    melds
}

/// Every way to choose melds that share no card, none at all included.
pub(crate) fn arrangements(cards: &[Card]) -> Vec<Groups> {
    fn choose(melds: &[Cards], chosen: &mut Groups, found: &mut Vec<Groups>) {
        found.push(chosen.clone());
        for (at, meld) in melds.iter().enumerate() {
            if chosen.iter().flatten().all(|card| !meld.contains(card)) {
                chosen.push(meld.clone());
                choose(&melds[at + 1..], chosen, found);
                chosen.pop();
            }
        }
    }
    let mut found = Vec::new();
    choose(&melds_in(cards), &mut Vec::new(), &mut found);
    found
}

pub(crate) fn points(cards: &[Card]) -> u32 {
    cards.iter().map(|card| card.points()).sum()
}

pub(crate) fn without(cards: &[Card], gone: &[Card]) -> Cards {
    cards
        .iter()
        .copied()
        .filter(|card| !gone.contains(card))
        .collect()
}

pub(crate) fn least_deadwood(cards: &[Card]) -> u32 {
    let left = |melds: &Groups| points(&without(cards, &melds.concat()));
    arrangements(cards)
        .iter()
        .map(left)
        .min()
        .expect("no melds at all are an arrangement")
}

/// All arrangements of least deadwood, by the least points of exposed cards, then the fewest
/// melds, then card order.
pub(crate) fn minimal_arrangements(cards: &[Card]) -> Vec<Groups> {
    let least = least_deadwood(cards);
    let mut minimal: Vec<Groups> = arrangements(cards)
        .into_iter()
        .filter(|melds| points(&without(cards, &melds.concat())) == least)
        .collect();
    minimal.sort_by_key(|melds| (points(&exposed(cards, melds)), melds.len(), melds.clone()));
    minimal
}

/// The cards, none of the hand's own, that fit one of the melds.
fn exposed(hand: &[Card], melds: &[Cards]) -> Cards {
    let fits = |card: &Card| melds.iter().any(|meld| fits(meld, *card));
    Card::all()
        .filter(|card| !hand.contains(card) && fits(card))
        .collect()
}

/// Whether the meld is still one with this card.
pub(crate) fn fits(meld: &[Card], card: Card) -> bool {
    let is_set = meld[0].rank() == meld[1].rank();
    if is_set {
        return card.rank() == meld[0].rank() && !meld.contains(&card);
    }
    let (low, high) = (meld[0], meld[meld.len() - 1]);
    card.suit() == low.suit()
        && (card.index() + 1 == low.index() || card.index() == high.index() + 1)
}

/// The defender's best answer to a knock.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Answer {
    pub(crate) deadwood: u32,
    pub(crate) layoff_count: usize,
    pub(crate) laid_off: Cards,
    /// Indices of the knocker's melds, for the laid-off cards in card order.
    pub(crate) meld_indices: Vec<usize>,
}

/// Tries every sequence of layoffs with every arrangement of the cards that stay.
pub(crate) fn best_answer(knocker_melds: &[Cards], defender: &[Card]) -> Answer {
    let mut seen = HashSet::new();
    let mut best = None;
    lay_off(
        knocker_melds,
        defender,
        &mut Vec::new(),
        &mut seen,
        &mut best,
    );
    best.expect("no layoff at all is an answer")
}

fn lay_off(
    melds: &[Cards],
    rest: &[Card],
    laid_off: &mut Vec<(Card, usize)>,
    seen: &mut HashSet<Vec<(Card, usize)>>,
    best: &mut Option<Answer>,
) {
    let mut in_order = laid_off.clone();
    in_order.sort_unstable();
    if !seen.insert(in_order.clone()) {
        return;
    }
    let (cards, meld_indices): (Cards, Vec<usize>) = in_order.into_iter().unzip();
    let answer = Answer {
        deadwood: least_deadwood(rest),
        layoff_count: cards.len(),
        laid_off: cards,
        meld_indices,
    };
    if best.as_ref().is_none_or(|best| answer < *best) {
        *best = Some(answer);
    }
    for &card in rest {
        for (at, meld) in melds
            .iter()
            .enumerate()
            .filter(|(_, meld)| fits(meld, card))
        {
            let mut grown = melds.to_vec();
            grown[at] = [&meld[..], &[card]].concat();
            grown[at].sort_unstable();
            laid_off.push((card, at));
            lay_off(&grown, &without(rest, &[card]), laid_off, seen, best);
            laid_off.pop();
        }
    }
}

/// The same layoffs in the order in which they are made: always the lowest card that fits now.
pub(crate) fn playable_order(knocker_melds: &[Cards], answer: &Answer) -> Vec<(Card, usize)> {
    let mut melds = knocker_melds.to_vec();
    let mut left: Vec<_> = answer
        .laid_off
        .iter()
        .copied()
        .zip(answer.meld_indices.iter().copied())
        .collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let next = left.iter().position(|&(card, at)| fits(&melds[at], card));
        let (card, at) = left.remove(next.expect("one of the layoffs fits"));
        melds[at].push(card);
        melds[at].sort_unstable();
        order.push((card, at));
    }
    order
}
