//! Cards, melds and arrangements.

use ginrummy_engine::{Arrangement, Card, CardSet, Meld, MeldKind};

use crate::v1;

/// A card's number: its bit plus one.
pub(crate) fn card(card: Card) -> i32 {
    i32::from(card.index()) + 1
}

/// Cards in the order given.
pub(crate) fn cards(cards: impl IntoIterator<Item = Card>) -> Vec<i32> {
    cards.into_iter().map(card).collect()
}

pub(crate) fn melds(melds: &[Meld]) -> Vec<v1::Meld> {
    melds.iter().copied().map(meld).collect()
}

/// Groups that a player declares: melds, if he is right.
pub(crate) fn groups(groups: &[CardSet]) -> Vec<v1::Meld> {
    let as_told = |group: &CardSet| v1::Meld {
        cards: cards(*group),
        ..v1::Meld::default()
    };
    groups
        .iter()
        .map(|group| Meld::try_from(*group).map_or_else(|_| as_told(group), meld))
        .collect()
}

fn meld(meld: Meld) -> v1::Meld {
    let kind = match meld.kind() {
        MeldKind::Set => v1::MeldKind::Set,
        MeldKind::Run => v1::MeldKind::Run,
    };
    v1::Meld {
        kind: kind.into(),
        cards: cards(meld.cards()),
    }
}

pub(crate) fn arrangement(arrangement: &Arrangement) -> v1::Arrangement {
    v1::Arrangement {
        melds: melds(&arrangement.melds),
        deadwood: cards(arrangement.deadwood),
        deadwood_points: arrangement.deadwood_points,
    }
}

/// A number of cards or melds: there are 52.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
