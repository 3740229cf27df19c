//! The real SmolLM2-135M-Instruct, from registry to logits. Fetches the model where the cache does not have it.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use sagen_checkpoint::model::{RopePairing, RopeScaling, TensorName};
use sagen_checkpoint::reference::{Reference, Site};
use sagen_checkpoint::registry;
use sagen_checkpoint::weights::Checkpoint;
use sagen_tokenizer::{Message, Tokenizer};

static CHECKPOINT: LazyLock<Checkpoint> = LazyLock::new(|| {
    let model = registry::find("smollm2").unwrap();
    let path = registry::fetch(&model, &AtomicBool::new(false)).unwrap();
    Checkpoint::open(&path).unwrap()
});

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| CHECKPOINT.tokenizer().unwrap());

static REFERENCE: LazyLock<Reference> = LazyLock::new(|| Reference::load(&CHECKPOINT).unwrap());

/// "The capital of France is"
const PROMPT: [u32; 5] = [504, 3575, 282, 4649, 314];

#[test]
fn the_shape_is_read_from_the_file() {
    let config = CHECKPOINT.config();
    assert_eq!((config.layers, config.hidden, config.ffn, config.vocab), (30, 576, 1536, 49152));
    assert_eq!((config.heads, config.kv_heads, config.head_dim, config.context), (9, 3, 64, 8192));
    assert_eq!((config.norm_eps, config.rope.theta), (1e-5, 1e5));
    assert_eq!((config.rope.pairing, &config.rope.scaling), (RopePairing::Interleaved, &RopeScaling::None));
    assert!(config.tied_embeddings);
    assert_eq!(config.parameters(), 134_515_008);
    let head = CHECKPOINT.tensor(TensorName::Head).unwrap();
    assert_eq!((head.rows, head.columns), (49152, 576));
}

#[test]
fn text_becomes_the_published_ids_and_back() {
    let vectors: &[(&str, &[u32])] = &[
        ("The capital of France is", &PROMPT),
        ("Hello, world!", &[19556, 28, 905, 17]),
        (" leading and  double  spaces ", &[2899, 284, 216, 5561, 216, 5600, 216]),
        ("line one\n\nline two\r\n\ttabbed", &[1311, 582, 198, 198, 1311, 827, 2738, 197, 15999, 5776]),
        (
            "In 2024, 3.14159 + 1e-10 = ?",
            &[788, 216, 34, 32, 34, 36, 28, 216, 35, 30, 33, 36, 33, 37, 41, 1232, 216, 33, 85, 29, 33, 32, 446, 9148],
        ),
        (
            "I'll say it's what they've done; we'd agree",
            &[57, 3060, 1643, 357, 506, 732, 502, 3543, 2294, 43, 392, 6737, 3387],
        ),
        (
            "naïve café, Straße, Ελληνικά, русский",
            &[
                3546, 46494, 37366, 28, 19144, 34878, 85, 28, 5664, 239, 17162, 17162, 25723, 11517, 12001, 21118,
                26112, 28, 216, 9175, 14714, 9382, 39511, 7872, 24958,
            ],
        ),
        (
            "日本語と中文 한국어",
            &[23274, 115, 40993, 179, 120, 248, 7365, 118, 28589, 29184, 216, 33085, 246, 181, 130, 251, 183, 240, 129],
        ),
        (
            "emoji 😀👩‍🚀 and ½ ² Ⅷ",
            &[
                391, 33777, 40303, 218, 10813, 235, 119, 321, 231, 10813, 244, 218, 284, 216, 16738, 216, 19133, 216,
                173, 223, 117,
            ],
        ),
        (
            "fn main() { let x: Vec<u32> = vec![0; 16]; }",
            &[
                7853, 1085, 1000, 1662, 1303, 1792, 42, 717, 1159, 44, 101, 35, 34, 46, 446, 37024, 21653, 32, 43, 216,
                33, 38, 26695, 4029,
            ],
        ),
        ("don't DON'T", &[12420, 982, 422, 2154, 23, 68]),
        ("    ", &[289]),
        ("", &[]),
    ];
    for (text, ids) in vectors {
        assert_eq!(TOKENIZER.encode(text, true).unwrap(), *ids, "{text:?}");
        assert_eq!(TOKENIZER.decode(ids).unwrap(), *text);
        let mut stream = TOKENIZER.stream();
        let pieces: String = ids.iter().map(|id| stream.push(*id).unwrap()).collect();
        assert_eq!(pieces, *text, "token by token");
    }
}

#[test]
fn a_conversation_becomes_chatml() {
    let chat = TOKENIZER.chat().unwrap();
    let user = Message { role: "user".to_owned(), content: "Hi".to_owned() };
    let prompt = chat.render(std::slice::from_ref(&user)).unwrap();
    let expected = "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n\
                    <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n";
    assert_eq!(prompt, expected);
    let ids = TOKENIZER.encode_special(&prompt, false).unwrap();
    assert_eq!(TOKENIZER.encode_chat(std::slice::from_ref(&user)).unwrap(), ids);
    assert_eq!(ids.iter().filter(|id| **id == TOKENIZER.bos().unwrap()).count(), 3);
    assert_eq!(ids.iter().filter(|id| TOKENIZER.end().contains(id)).count(), 2);
    let system = Message { role: "system".to_owned(), content: "Be brief.".to_owned() };
    assert!(
        chat.render(&[system, user]).unwrap().starts_with("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user")
    );
}

#[test]
fn logits_agree_with_double_precision() {
    // Worked out in f64 from the same dequantised weights by a separate program: best id, its logit, the margin.
    let steps = [
        (7042, 17.371, 2.482),
        (30, 25.142, 1.278),
        (198, 18.014, 1.426),
        (198, 30.586, 1.337),
        (504, 34.240, 0.838),
        (2988, 14.621, 0.219),
    ];
    let mut session = REFERENCE.session();
    let mut logits = session.forward(&PROMPT).unwrap();
    for (id, logit, margin) in steps {
        let row = logits.row(logits.rows - 1);
        let mut sorted = row.to_vec();
        sorted.sort_by(f32::total_cmp);
        let [.., second, best] = sorted[..] else { panic!("two ids at least") };
        assert_eq!(row[id as usize], best);
        assert!((best - logit).abs() < 2e-3 && (best - second - margin).abs() < 2e-3, "{id}: {best}, {second}");
        logits = session.forward(&[id]).unwrap();
    }
}

#[test]
fn greedy_text_is_the_known_one() {
    let generate = |count, stop| REFERENCE.session().greedy(&PROMPT, count, stop).unwrap();
    assert_eq!(TOKENIZER.decode(&generate(8, TOKENIZER.end())).unwrap(), " Paris.\n\nThe answer is:");
    assert_eq!(TOKENIZER.decode(&generate(8, &[30])).unwrap(), " Paris", "a stop token is not given out");
}

#[test]
fn every_site_is_seen_once_per_layer_and_the_known_outlier_is_there() {
    let mut seen = BTreeMap::<Site, usize>::new();
    let mut residual = 0f32;
    let mut observer = |site: Site, layer: usize, rows: &sagen_checkpoint::weights::Matrix| {
        *seen.entry(site).or_default() += 1;
        let width = match site {
            Site::Gate | Site::Up | Site::Gated => 1536,
            Site::K | Site::V => 192,
            Site::Embed | Site::AttnNorm | Site::Q | Site::Attn | Site::AttnResidual => 576,
            Site::FfnNorm | Site::FfnResidual | Site::FinalNorm => 576,
        };
        assert_eq!((rows.rows, rows.columns), (PROMPT.len(), width), "{site:?}");
        assert!(layer < 30 || site == Site::FinalNorm);
        if site == Site::FfnResidual {
            residual = rows.data.iter().fold(residual, |most, v| most.max(v.abs()));
        }
    };
    let observed = REFERENCE.session().forward_observed(&PROMPT, &mut observer).unwrap();
    assert_eq!(observed, REFERENCE.session().forward(&PROMPT).unwrap());
    for (site, times) in &seen {
        let once = matches!(site, Site::Embed | Site::FinalNorm);
        assert_eq!(*times, if once { 1 } else { 30 }, "{site:?}");
    }
    assert_eq!(seen.len(), 13);
    // One channel of the first token; what an overlay's residual format must hold.
    assert!((20_000.0..30_000.0).contains(&residual), "{residual}");
}
