//! Mutations: blind ones of bytes, and some that know of numbers, lengths, words and JSON.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

/// Longest input; a mutation that doubles does not go beyond.
const LONGEST: usize = 1 << 18;

/// One to six mutations of one of the seeds; equal arguments give equal inputs.
#[must_use]
pub fn mutate(seeds: &[Vec<u8>], words: &[&str], number: u64) -> Vec<u8> {
    let mut random = Random(SplitMix64::seed_from_u64(number));
    let mut input = random.one_of(seeds).clone();
    // Half of the inputs keep their form, so that mutations get behind the parser.
    let in_form = random.below(2) == 0;
    for _ in 0..=random.below(6) {
        if in_form {
            well_formed(&mut random, &mut input);
        } else {
            step(&mut random, &mut input, seeds, words);
        }
        input.truncate(LONGEST);
    }
    input
}

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound.max(1) as u64) as usize
    }

    fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// A part of something that long.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 64 };
        start..length.min(start + self.below(most))
    }
}

fn step(random: &mut Random, input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
    match random.below(10) {
        0 => flip(random, input),
        1 => input.truncate(random.below(input.len() + 1)),
        2 => drop(input.drain(random.range(input.len())).collect::<Vec<_>>()),
        3 => {
            let part = input[random.range(input.len())].to_vec();
            insert(random, input, &part);
        }
        4 => {
            let other = random.one_of(seeds).clone();
            let at = random.below(input.len().min(other.len()) + 1);
            input.truncate(at);
            input.extend_from_slice(&other[at.min(other.len())..]);
        }
        5 => field(random, input),
        6 if !words.is_empty() => {
            let word = random.one_of(words).as_bytes().to_vec();
            insert(random, input, &word);
        }
        7 => decimal(random, input),
        _ => tree(random, input).unwrap_or_else(|| flip(random, input)),
    }
}

/// A value of a JSON text, a number of another text, or a length.
fn well_formed(random: &mut Random, input: &mut Vec<u8>) {
    if tree(random, input).is_none() {
        if random.below(2) == 0 { decimal(random, input) } else { field(random, input) }
    }
}

fn flip(random: &mut Random, input: &mut [u8]) {
    if !input.is_empty() {
        let at = random.below(input.len());
        input[at] ^= 1 << random.below(8);
    }
}

fn insert(random: &mut Random, input: &mut Vec<u8>, part: &[u8]) {
    let at = random.below(input.len() + 1);
    input.splice(at..at, part.iter().copied());
}

/// A little-endian number somewhere becomes one from an edge.
fn field(random: &mut Random, input: &mut [u8]) {
    const EDGES: [u64; 10] = [0, 1, 0x7f, 0xff, 0xffff, 1 << 24, 0x7fff_ffff, 0xffff_ffff, 1 << 62, u64::MAX];
    let width = *random.one_of(&[1, 2, 4, 8]);
    if input.len() >= width {
        let at = random.below(input.len() - width + 1);
        let edge = random.one_of(&EDGES).wrapping_sub(random.below(3) as u64);
        input[at..at + width].copy_from_slice(&edge.to_le_bytes()[..width]);
    }
}

/// A number in decimal becomes one that does not belong there.
fn decimal(random: &mut Random, input: &mut Vec<u8>) {
    const NUMBERS: [&str; 12] = [
        "0",
        "-1",
        "1.5",
        "1e999",
        "4294967295",
        "4294967296",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "0x10",
        "1e-400",
        "99999999",
    ];
    let starts: Vec<usize> = (0..input.len())
        .filter(|at| input[*at].is_ascii_digit() && (*at == 0 || !input[at - 1].is_ascii_digit()))
        .collect();
    if !starts.is_empty() {
        let start = *random.one_of(&starts);
        let end = (start..input.len()).find(|at| !input[*at].is_ascii_digit()).unwrap_or(input.len());
        input.splice(start..end, random.one_of(&NUMBERS).bytes());
    }
}

/// Some value of a JSON text becomes another, goes, or stands twice. A number may stand in front, for the name of a file.
fn tree(random: &mut Random, input: &mut Vec<u8>) -> Option<()> {
    let start = usize::from(input.first().is_some_and(|first| *first < b' '));
    let mut whole: Value = serde_json::from_slice(&input[start..]).ok()?;
    let nodes = count(&whole);
    let at = random.below(nodes);
    change(&mut whole, &mut { at }, random);
    input.truncate(start);
    input.extend(serde_json::to_vec(&whole).ok()?);
    Some(())
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Changes the node that is `left` nodes away.
fn change(value: &mut Value, left: &mut usize, random: &mut Random) {
    if *left == 0 {
        *value = another(value, random);
        *left = usize::MAX;
        return;
    }
    *left -= 1;
    let below: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for child in below {
        if *left != usize::MAX {
            change(child, left, random);
        }
    }
}

fn another(value: &Value, random: &mut Random) -> Value {
    match (random.below(9), value) {
        (0, _) => Value::Null,
        (1, _) => json!(u64::MAX),
        (2, _) => json!(-1),
        (3, _) => json!(1e308),
        (4, _) => json!([]),
        (5, _) => json!({}),
        (6, _) => json!("\u{0}\u{fffd}<|x|>"),
        (_, Value::Array(list)) if !list.is_empty() => {
            let mut list = list.clone();
            let at = random.below(list.len());
            if random.below(2) == 0 {
                drop(list.remove(at))
            } else {
                list.push(list[at].clone())
            }
            Value::Array(list)
        }
        (_, Value::Object(map)) if !map.is_empty() => {
            let mut map = map.clone();
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            let gone = map.remove(&key);
            if random.below(2) == 0 {
                map.insert(format!("{key}x"), gone.unwrap_or_default());
            }
            Value::Object(map)
        }
        (_, Value::Number(n)) => json!(n.as_f64().unwrap_or(0.0) + 1.0),
        _ => json!(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_repeatable_and_differ() {
        let seeds = [b"{\"a\": [1, 2, {\"b\": 77}]}".to_vec(), b"word 12".to_vec()];
        let inputs: std::collections::BTreeSet<Vec<u8>> = (0..500).map(|n| mutate(&seeds, &["x"], n)).collect();
        assert!(inputs.len() > 300, "{}", inputs.len());
        assert_eq!(mutate(&seeds, &["x"], 7), mutate(&seeds, &["x"], 7));
        let json = inputs.iter().filter(|i| serde_json::from_slice::<Value>(i).is_ok()).count();
        assert!(json > 50, "{json}");
    }
}
