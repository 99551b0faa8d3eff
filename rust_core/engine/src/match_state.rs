//! A match: hands played until a target is reached.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::action::{Action, Violation};
use crate::deal::{Deck, InvalidDeck, Seed, check_decks};
use crate::event::{EndReason, Event, MatchResult, ScoredHand};
use crate::hand::Hand;
use crate::ledger::{Ledger, ScoreSheet};
use crate::rules::{DealerRule, Rules};
use crate::seat::{Seat, Viewer};
use crate::view::{HandView, SeatView};

/// When both seats have timed out this often in a row, the match is aborted.
const TIMEOUTS_TO_ABORT: u32 = 3;

/// A command to a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    Act {
        seat: Seat,
        action: Action,
    },
    /// The clock of the seat to act ran out.
    TimeOut {
        /// Time-outs in a row that lose the match; 0: never.
        #[serde(default)]
        timeouts_to_forfeit: u32,
    },
    Resign {
        seat: Seat,
    },
    /// This seat wins because its opponent stayed away.
    ClaimAbsence {
        seat: Seat,
    },
    /// No result is recorded.
    Abort,
}

/// A match in play; [`apply`](Self::apply) is its only mutation.
///
/// ```
/// use ginrummy_engine::{Command, Match, Ruleset, Seat, Seed};
/// let rules = Ruleset::named("short").unwrap().rules;
/// let (mut game, events) = Match::start(&rules, Seed::new([0; 32]));
/// assert_eq!(events.len(), 1); // the first hand is dealt
/// game.apply(&Command::Resign { seat: Seat::One }).unwrap();
/// assert_eq!(game.result().unwrap().winner, Some(Seat::Two));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    rules: Rules,
    seed: Seed,
    /// Of the first hands, in place of the seed's.
    given_decks: Arc<[Deck]>,
    hand_number: u32,
    hand: Hand,
    ledger: Ledger,
    timeouts: [u32; 2],
    last_hand: Option<Box<ScoredHand>>,
    result: Option<Box<MatchResult>>,
}

impl Match {
    /// Deals the first hand.
    #[must_use]
    pub fn start(rules: &Rules, seed: Seed) -> (Self, Vec<Event>) {
        Self::begin(rules, seed, Arc::default(), seed.first_dealer())
    }

    /// Deals the first hands from given decks, for puzzles and tests; later ones from the seed.
    ///
    /// The seed that the end of the match opens says nothing of the given decks.
    ///
    /// # Errors
    /// A deck that holds a card twice.
    ///
    /// ```
    /// use ginrummy_engine::{Card, Match, Ruleset, Seat, Seed};
    /// let rules = Ruleset::named("short").unwrap().rules;
    /// let (game, _) =
    ///     Match::start_from_decks(&rules, &[Card::DECK], Seat::One, Seed::new([0; 32])).unwrap();
    /// assert_eq!(game.hand().upcard(), Card::DECK[20]);
    /// ```
    pub fn start_from_decks(
        rules: &Rules,
        decks: &[Deck],
        first_dealer: Seat,
        seed: Seed,
    ) -> Result<(Self, Vec<Event>), InvalidDeck> {
        check_decks(decks)?;
        Ok(Self::begin(rules, seed, decks.into(), first_dealer))
    }

    fn begin(
        rules: &Rules,
        seed: Seed,
        given_decks: Arc<[Deck]>,
        first_dealer: Seat,
    ) -> (Self, Vec<Event>) {
        let hand = Hand::deal(rules, &deck_of(&seed, &given_decks, 1), first_dealer);
        let game = Self {
            rules: *rules,
            seed,
            given_decks,
            hand_number: 1,
            hand,
            ledger: Ledger::new(rules),
            timeouts: [0; 2],
            last_hand: None,
            result: None,
        };
        let dealt = game.hand_dealt();
        (game, vec![dealt])
    }

    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    #[must_use]
    pub const fn hand(&self) -> &Hand {
        &self.hand
    }

    /// Counts from 1, dead hands too.
    #[must_use]
    pub const fn hand_number(&self) -> u32 {
        self.hand_number
    }

    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Set once the match is over.
    #[must_use]
    pub fn result(&self) -> Option<&MatchResult> {
        self.result.as_deref()
    }

    /// Whose decision the match waits for; `None` when it is over.
    #[must_use]
    pub fn to_act(&self) -> Option<Seat> {
        if self.result.is_some() {
            None
        } else {
            self.hand.to_act()
        }
    }

    /// What a bot in this seat gets; `None` when the match is over.
    #[must_use]
    pub fn seat_view(&self, seat: Seat) -> Option<SeatView<'_>> {
        self.result
            .is_none()
            .then(|| SeatView::of_match(&self.hand, seat, &self.ledger))
    }

    /// Plays one command.
    ///
    /// # Errors
    /// The rule that forbids it; nothing has changed.
    pub fn apply(&mut self, command: &Command) -> Result<Vec<Event>, Violation> {
        if self.result.is_some() {
            return Err(Violation::MatchOver);
        }
        let mut events = Vec::new();
        match command {
            Command::Act { seat, action } => {
                events.extend(self.hand.apply(*seat, action)?);
                // A draw is half a decision: who then lets the clock run has timed out in a row.
                if self.hand.to_act() != Some(*seat) {
                    self.timeouts[seat.index()] = 0;
                }
                self.go_on(&mut events);
            }
            Command::TimeOut {
                timeouts_to_forfeit,
            } => {
                self.time_out(*timeouts_to_forfeit, &mut events);
            }
            Command::Resign { seat } => {
                self.end(EndReason::Resigned, Some(seat.opponent()), &mut events);
            }
            Command::ClaimAbsence { seat } => {
                self.end(EndReason::AbsenceClaimed, Some(*seat), &mut events);
            }
            Command::Abort => self.end(EndReason::Aborted, None, &mut events),
        }
        Ok(events)
    }

    fn time_out(&mut self, timeouts_to_forfeit: u32, events: &mut Vec<Event>) {
        let seat = self
            .hand
            .to_act()
            .expect("the hand of a running match waits for a seat");
        self.timeouts[seat.index()] += 1;
        let timeouts = self.timeouts[seat.index()];
        events.push(Event::TimedOut { seat, timeouts });
        if timeouts_to_forfeit > 0 && timeouts >= timeouts_to_forfeit {
            self.end(EndReason::ClockExpired, Some(seat.opponent()), events);
        } else if self.timeouts.iter().all(|n| *n >= TIMEOUTS_TO_ABORT) {
            self.end(EndReason::Aborted, None, events);
        } else {
            events.extend(self.hand.time_out());
            self.go_on(events);
        }
    }

    /// Scores a hand that is over, then deals the next one or ends the match.
    fn go_on(&mut self, events: &mut Vec<Event>) {
        let Some(result) = self.hand.result().cloned() else {
            return;
        };
        let winner = result.winner;
        if let Some(winner) = winner {
            self.ledger.record(winner, result.points);
        }
        let sheets = self.ledger.sheets();
        let scored = ScoredHand {
            hand_number: self.hand_number,
            result,
            sheets,
        };
        self.last_hand = Some(Box::new(scored.clone()));
        events.push(Event::HandScored(Box::new(scored)));
        if self.ledger.is_over() {
            self.end(EndReason::TargetReached, self.ledger.winner(), events);
        } else {
            let dealer = next_dealer(self.rules.dealer_rule, self.hand.dealer(), winner);
            self.hand_number += 1;
            let deck = deck_of(&self.seed, &self.given_decks, self.hand_number);
            self.hand = Hand::deal(&self.rules, &deck, dealer);
            events.push(self.hand_dealt());
        }
    }

    fn end(&mut self, reason: EndReason, winner: Option<Seat>, events: &mut Vec<Event>) {
        let result = MatchResult {
            winner,
            reason,
            sheets: self.ledger.sheets(),
            seed: self.seed,
        };
        self.result = Some(Box::new(result.clone()));
        events.push(Event::MatchEnded(Box::new(result)));
    }

    fn hand_dealt(&self) -> Event {
        Event::HandDealt {
            hand_number: self.hand_number,
            dealer: self.hand.dealer(),
            upcard: Some(self.hand.upcard()),
            hands: Seat::BOTH.map(|seat| Some(self.hand.cards(seat))),
            stock_count: self.hand.stock_len(),
            knock_limit: self.hand.knock_limit(),
            points_doubled: self.hand.points_doubled(),
        }
    }

    /// The match as one viewer may see it.
    #[must_use]
    pub fn view(&self, viewer: Viewer, hints: bool) -> MatchView {
        MatchView {
            hand_number: self.hand_number,
            hand: HandView::of_match(&self.hand, viewer, hints, self.result.is_some()),
            sheets: self.ledger.sheets(),
            last_hand: self.last_hand.clone(),
            result: self.result.clone(),
        }
    }
}

fn deck_of(seed: &Seed, given_decks: &[Deck], hand_number: u32) -> Deck {
    let given = given_decks.get(hand_number as usize - 1);
    given.copied().unwrap_or_else(|| seed.deck(hand_number))
}

/// Who deals next. A hand without a winner is dealt again by the same dealer.
#[must_use]
pub fn next_dealer(rule: DealerRule, dealer: Seat, winner: Option<Seat>) -> Seat {
    match (winner, rule) {
        (None, _) => dealer,
        (Some(_), DealerRule::Alternate) => dealer.opponent(),
        (Some(winner), DealerRule::Winner) => winner,
        (Some(winner), DealerRule::Loser) => winner.opponent(),
    }
}

/// A match as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchView {
    pub hand_number: u32,
    #[serde(flatten)]
    pub hand: HandView,
    /// By seat.
    pub sheets: [ScoreSheet; 2],
    /// The result of the hand before this one.
    pub last_hand: Option<Box<ScoredHand>>,
    pub result: Option<Box<MatchResult>>,
}
