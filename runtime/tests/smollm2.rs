//! The real SmolLM2-135M-Instruct, from registry to logits. Fetches the model where the cache does not have it.

use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, OnceLock};

use sagen_runtime::model::{LayerTensor, RopePairing, RopeScaling, TensorName};
use sagen_runtime::reference::{Reference, Site};
use sagen_runtime::registry::{self, Cache};
use sagen_runtime::tokenize::{Message, Tokenizer};
use sagen_runtime::weights::Checkpoint;

static CHECKPOINT: LazyLock<Checkpoint> = LazyLock::new(|| {
    let model = registry::find("smollm2").unwrap();
    let path = Cache::from_env()
        .unwrap()
        .fetch(&model, &AtomicBool::new(false))
        .unwrap();
    Checkpoint::open(&path).unwrap()
});

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::load(&CHECKPOINT).unwrap());

fn reference() -> &'static Reference {
    static REFERENCE: OnceLock<Reference> = OnceLock::new();
    REFERENCE.get_or_init(|| Reference::load(&CHECKPOINT).unwrap())
}

#[test]
fn greedy_text_is_the_published_one() {
    let prompt = TOKENIZER
        .encode(registry::find("smollm2").unwrap().prompt(), true)
        .unwrap();
    let ids = reference()
        .session()
        .greedy(&prompt, 32, TOKENIZER.end())
        .unwrap();
    assert_eq!(
        TOKENIZER.decode(&ids).unwrap(),
        " Paris.\n\nThe United States has a population of approximately 311 million people."
    );
}
