//! Deals against vectors that a separate program computed from the specification.

use ginrummy_engine::{Card, Seed};
use serde_json::Value;

fn bytes(hex: &Value) -> [u8; 32] {
    let hex = hex.as_str().unwrap();
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
}

#[test]
fn every_vector_gives_its_commitment_dealer_and_deck() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/deals/vectors.json"
    );
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(vectors.len(), 9);
    for vector in vectors {
        let seed = Seed::new(bytes(&vector["seed"]));
        assert_eq!(seed.commitment(), bytes(&vector["commitment"]));
        assert_eq!(
            u64::from(seed.first_dealer().number()),
            vector["first_dealer"]
        );
        let number = u32::try_from(vector["hand_number"].as_u64().unwrap()).unwrap();
        let deck: Vec<String> = seed.deck(number).iter().map(Card::to_string).collect();
        assert_eq!(deck.join(" "), vector["deck"]);
    }
}
