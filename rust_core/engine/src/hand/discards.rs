//! What each discard would leave, and which of them end the hand.

use serde::Serialize;

use super::Hand;
use crate::action::{Action, Phase};
use crate::arrangement::best_arrangement;
use crate::card::Card;
use crate::card_set::CardSet;
use crate::deadwood::{PricedDiscard, best_discard, deadwood, price_discards};
use crate::rules::MeldChoice;
use crate::seat::Seat;

/// One discard, priced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DiscardOption {
    pub card: Card,
    /// Least deadwood points of the other ten cards.
    pub deadwood_points: u32,
    /// A knock with this card is legal.
    pub can_knock: bool,
}

/// Every discard of the seat to act; after the wall's last discard was taken, only to knock with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiscardOptions {
    /// Best first, a card just taken last. Without hints only those that permit a knock.
    pub options: Vec<DiscardOption>,
    /// Deadwood points after the best discard.
    pub best_deadwood: u32,
    pub can_knock: bool,
    pub can_gin: bool,
    pub can_big_gin: bool,
    /// The best discard, or the knock; only with hints.
    pub hint: Option<Action>,
}

/// Every discard but the barred one in the order of the best: least deadwood left, then highest
/// rank, then last suit.
///
/// # Panics
/// With more than eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, discards_best_first};
/// let hand: CardSet = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D".parse().unwrap();
/// let options = discards_best_first(hand, None, 8);
/// assert_eq!((options[0].card.to_string(), options[0].deadwood_points), ("9D".to_owned(), 0));
/// assert_eq!((options[1].card.to_string(), options[1].can_knock), ("KC".to_owned(), false));
/// ```
#[must_use]
pub fn discards_best_first(
    hand: CardSet,
    barred: Option<Card>,
    knock_limit: u32,
) -> Vec<DiscardOption> {
    let mut options: Vec<_> = price_discards(hand, barred)
        .into_iter()
        .map(|priced| DiscardOption {
            card: priced.card,
            deadwood_points: priced.deadwood_points,
            can_knock: priced.deadwood_points <= knock_limit,
        })
        .collect();
    options.sort_by_key(|option| {
        let descending = (
            u8::MAX - option.card.rank() as u8,
            u8::MAX - option.card.suit() as u8,
        );
        (option.deadwood_points, descending)
    });
    options
}

impl Hand {
    pub(crate) fn best_discard(&self, seat: Seat) -> PricedDiscard {
        best_discard(self.cards(seat), self.just_taken())
    }

    /// Every permitted discard, best first. The card just taken, where it may be discarded at all, is
    /// never the best.
    pub(crate) fn priced_discards(&self, seat: Seat) -> Vec<DiscardOption> {
        let barred = self.barred_discard();
        let mut options = discards_best_first(self.cards(seat), barred, self.knock_limit());
        options.sort_by_key(|option| self.just_taken() == Some(option.card));
        options
    }

    /// What the seat's discards would leave, once it has drawn.
    #[must_use]
    pub fn discard_options(&self, seat: Seat, hints: bool) -> Option<DiscardOptions> {
        if self.phase != Phase::Discard || self.to_act != seat {
            return None;
        }
        let mut options = self.priced_discards(seat);
        let best = options.first().copied()?;
        let knocks = || options.iter().filter(|option| option.can_knock);
        let can_knock = knocks().next().is_some();
        let can_gin = knocks().any(|option| option.deadwood_points == 0);
        let can_big_gin = self.can_big_gin(seat);
        let hint = hints.then(|| match knocks().next() {
            _ if can_big_gin => self.big_gin_action(seat),
            Some(option) => self.knock_action(seat, option.card),
            None => Action::Discard { card: best.card },
        });
        if !hints {
            options.retain(|option| option.can_knock);
        }
        Some(DiscardOptions {
            options,
            best_deadwood: best.deadwood_points,
            can_knock,
            can_gin,
            can_big_gin,
            hint,
        })
    }

    /// All actions of the seat to act: one knock a discard, with groups where they are required,
    /// and one empty layoff. Empty for the other seat.
    #[must_use]
    pub fn legal_actions(&self, seat: Seat) -> Vec<Action> {
        use crate::action::Pile::{Discard, Stock};
        if self.to_act() != Some(seat) {
            return Vec::new();
        }
        let take = Action::Draw { pile: Discard };
        let draw = Action::Draw { pile: Stock };
        match self.phase {
            Phase::Upcard => vec![Action::Pass, take],
            Phase::LastChance if self.last_chance_allows_knock() => vec![Action::Pass, take],
            Phase::LastChance => vec![Action::Pass],
            Phase::Draw if self.must_draw_stock => vec![draw],
            Phase::Draw => vec![draw, take],
            Phase::Discard => self.discards_and_knocks(seat),
            Phase::Layoff => vec![Action::lay_off_best()],
            Phase::Over => Vec::new(),
        }
    }

    /// In card order: where there are no hints, the list gives none.
    fn discards_and_knocks(&self, seat: Seat) -> Vec<Action> {
        let priced = price_discards(self.cards(seat), self.barred_discard());
        let discards = priced.iter().filter(|_| !self.must_knock);
        let mut actions: Vec<_> = discards
            .map(|priced| Action::Discard { card: priced.card })
            .collect();
        let limit = self.knock_limit();
        let knocks = priced
            .iter()
            .filter(|priced| priced.deadwood_points <= limit);
        actions.extend(knocks.map(|priced| self.knock_action(seat, priced.card)));
        actions.extend(self.can_big_gin(seat).then(|| self.big_gin_action(seat)));
        actions
    }

    pub(crate) fn can_big_gin(&self, seat: Seat) -> bool {
        self.rules.big_gin && deadwood(self.cards(seat)) == 0
    }

    /// A knock or big gin would be legal with the wall's last discard.
    pub(super) fn last_chance_allows_knock(&self) -> bool {
        let Some(card) = self.discard_pile.last().copied() else {
            return false;
        };
        let barred = (!self.rules.allow_discard_taken).then_some(card);
        let eleven = self.cards(self.to_act).with(card);
        let knock = price_discards(eleven, barred)
            .iter()
            .any(|priced| priced.deadwood_points <= self.knock_limit());
        knock || (self.rules.big_gin && deadwood(eleven) == 0)
    }

    pub(crate) fn knock_action(&self, seat: Seat, discard: Card) -> Action {
        Action::Knock {
            discard,
            melds: self.groups(self.cards(seat).without(discard)),
        }
    }

    pub(crate) fn big_gin_action(&self, seat: Seat) -> Action {
        Action::BigGin {
            melds: self.groups(self.cards(seat)),
        }
    }

    /// The engine's groups, where the player has to send some.
    fn groups(&self, cards: CardSet) -> Vec<CardSet> {
        if self.rules.knocker_melds != MeldChoice::Declared {
            return Vec::new();
        }
        best_arrangement(cards)
            .melds
            .iter()
            .map(|meld| meld.cards())
            .collect()
    }
}
