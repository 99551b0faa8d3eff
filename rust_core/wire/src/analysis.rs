//! Answers about hands: a request's message in, a response's out.
//!
//! What one item of many has wrong is told of that item, and the others are answered.

use ginrummy_engine::{
    Arrangement, Card, CardSet, ParseCardsError, Rules, SpreadPart, best_arrangement, best_defence,
    deadwood, discards_best_first, knockers_melds, minimal_arrangements,
};

use crate::actions::layoffs;
use crate::cards::{arrangement, card, cards};
use crate::v1;
use crate::v1::ErrorReason;
use crate::v1::hand_input::Form;

/// Most cards of a hand.
const MOST_CARDS: usize = 11;

/// A field that holds what it may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadField {
    pub reason: ErrorReason,
    /// Its path in the request.
    pub path: String,
    pub problem: String,
}

impl BadField {
    fn field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            reason: ErrorReason::BadField,
            path: path.into(),
            problem: problem.into(),
        }
    }

    fn card(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            reason: ErrorReason::BadCard,
            ..Self::field(path, problem)
        }
    }
}

impl From<BadField> for v1::ItemError {
    fn from(bad: BadField) -> Self {
        Self {
            reason: bad.reason.into(),
            message: bad.problem,
            field: bad.path,
        }
    }
}

/// The answer to `AnalyzeHands`, by the rules that the request comes to.
#[must_use]
pub fn analyze_hands(request: &v1::AnalyzeHandsRequest, rules: &Rules) -> v1::AnalyzeHandsResponse {
    let results = request.hands.iter().enumerate().map(|(index, query)| {
        read_query(query, &format!("hands[{index}]")).map_or_else(
            |bad| v1::HandAnalysis {
                error: Some(bad.into()),
                ..v1::HandAnalysis::default()
            },
            |(hand, barred)| hand_analysis(hand, barred, rules, request.all_arrangements),
        )
    });
    v1::AnalyzeHandsResponse {
        results: results.collect(),
    }
}

fn read_query(query: &v1::HandQuery, path: &str) -> Result<(CardSet, Option<Card>), BadField> {
    let hand = read_hand(query.hand.as_ref(), &format!("{path}.hand"))?;
    let at = || format!("{path}.barred_discard");
    let barred = query.barred_discard.map(|number| read_card(number, at));
    match barred.transpose()? {
        Some(card) if !hand.contains(card) => Err(BadField::field(
            at(),
            format!("{card} is not among the cards of the hand"),
        )),
        barred => Ok((hand, barred)),
    }
}

fn hand_analysis(
    hand: CardSet,
    barred: Option<Card>,
    rules: &Rules,
    all_arrangements: bool,
) -> v1::HandAnalysis {
    let arrangements: Vec<Arrangement> = if all_arrangements {
        minimal_arrangements(hand)
    } else {
        vec![best_arrangement(hand)]
    };
    let deadwood_points = deadwood(hand);
    let options = if hand.len() == MOST_CARDS {
        discards_best_first(hand, barred, rules.knock_limit)
    } else {
        Vec::new()
    };
    // What the hand can be brought to: a full hand by its best discard, ten cards as they are.
    let reached = match options.first() {
        Some(best) => Some(best.deadwood_points),
        None => (hand.len() == MOST_CARDS - 1).then_some(deadwood_points),
    };
    v1::HandAnalysis {
        error: None,
        cards: cards(hand),
        arrangements: arrangements.iter().map(arrangement).collect(),
        deadwood_points,
        discards: options
            .iter()
            .map(|option| v1::DiscardPrice {
                card: card(option.card),
                deadwood_points: option.deadwood_points,
                can_knock: option.can_knock,
            })
            .collect(),
        can_knock: reached.is_some_and(|points| points <= rules.knock_limit),
        can_gin: reached == Some(0),
        can_big_gin: rules.big_gin && hand.len() == MOST_CARDS && deadwood_points == 0,
    }
}

/// The answer to `FindLayoffs`.
#[must_use]
pub fn find_layoffs(request: &v1::FindLayoffsRequest) -> v1::FindLayoffsResponse {
    let results = request.problems.iter().enumerate().map(|(index, problem)| {
        layoff_solution(problem, &format!("problems[{index}]")).unwrap_or_else(|bad| {
            v1::LayoffSolution {
                error: Some(bad.into()),
                ..v1::LayoffSolution::default()
            }
        })
    });
    v1::FindLayoffsResponse {
        results: results.collect(),
    }
}

fn layoff_solution(
    problem: &v1::LayoffProblem,
    path: &str,
) -> Result<v1::LayoffSolution, BadField> {
    let hand = read_hand(problem.hand.as_ref(), &format!("{path}.hand"))?;
    if !(1..=3).contains(&problem.melds.len()) {
        let many = format!(
            "a knocker has one to three melds, not {}",
            problem.melds.len()
        );
        return Err(BadField::field(format!("{path}.melds"), many));
    }
    let groups = problem.melds.iter().enumerate();
    let groups = groups
        .map(|(index, meld)| read_list(&meld.cards, &format!("{path}.melds[{index}].cards")))
        .collect::<Result<Vec<_>, _>>()?;
    let melds = knockers_melds(&groups, hand).map_err(|refused| {
        let part = match refused.part {
            SpreadPart::Meld(index) => format!("{path}.melds[{index}]"),
            SpreadPart::Melds => format!("{path}.melds"),
            SpreadPart::Defender => format!("{path}.hand"),
        };
        BadField::field(part, refused.problem)
    })?;
    let defence = best_defence(&melds, hand);
    Ok(v1::LayoffSolution {
        error: None,
        moves: layoffs(&defence.layoffs),
        rest: Some(arrangement(&defence.arrangement)),
    })
}

/// The cards of a hand, in whatever form they come.
///
/// # Errors
/// The field that holds no card, a card twice, or more than eleven of them.
pub fn read_hand(input: Option<&v1::HandInput>, path: &str) -> Result<CardSet, BadField> {
    let (hand, form) = match input.and_then(|input| input.form.as_ref()) {
        None => {
            let problem = "is required: list, text or mask";
            return Err(BadField::field(path, problem));
        }
        Some(Form::List(list)) => {
            let at = format!("{path}.list");
            (read_list(&list.cards, &format!("{at}.cards"))?, at)
        }
        Some(Form::Text(text)) => {
            let at = format!("{path}.text");
            (read_text(text, &at)?, at)
        }
        Some(Form::Mask(mask)) => {
            let at = format!("{path}.mask");
            (read_mask(*mask, &at)?, at)
        }
    };
    if hand.len() > MOST_CARDS {
        let problem = format!("{} cards: a hand has at most eleven", hand.len());
        return Err(BadField::field(form, problem));
    }
    Ok(hand)
}

fn read_list(numbers: &[i32], path: &str) -> Result<CardSet, BadField> {
    let mut read = CardSet::EMPTY;
    // A doubled card ends the loop: there are 52.
    for (index, number) in numbers.iter().enumerate() {
        let card = read_card(*number, || format!("{path}[{index}]"))?;
        if read.contains(card) {
            let doubled = ParseCardsError::Doubled { card };
            return Err(BadField::card(
                format!("{path}[{index}]"),
                doubled.to_string(),
            ));
        }
        read.insert(card);
    }
    Ok(read)
}

fn read_text(text: &str, path: &str) -> Result<CardSet, BadField> {
    // People write a ten so, and no card has another 1 or 0.
    let text = text.replace("10", "T");
    text.parse()
        .map_err(|error: ParseCardsError| BadField::card(path, error.to_string()))
}

fn read_mask(mask: u64, path: &str) -> Result<CardSet, BadField> {
    CardSet::from_mask(mask).ok_or_else(|| {
        let problem = format!("{mask:#x}: a card's bit is below {}", Card::COUNT);
        BadField::card(path, problem)
    })
}

fn read_card(number: i32, path: impl Fn() -> String) -> Result<Card, BadField> {
    let bit = number.checked_sub(1).and_then(|bit| bit.try_into().ok());
    bit.and_then(Card::from_index).ok_or_else(|| {
        let problem = match number {
            0 => "a card is required".to_owned(),
            _ => format!("there is no card {number}"),
        };
        BadField::card(path(), problem)
    })
}
