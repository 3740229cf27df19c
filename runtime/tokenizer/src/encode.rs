//! From text to ids.

use tokenizers::Encoding;

use crate::control::Piece;
use crate::error::TokenizeError;
use crate::mark::Mark;
use crate::{ChatTemplate, Message, Token, Tokenizer};

/// What becomes of characters that no token spells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unspelt {
    Refused,
    LeftOut,
}

impl Tokenizer {
    /// Ids of a text, whatever it spells. `add_special` adds the marks that the model expects around a raw text, such
    /// as a leading BOS.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, TokenizeError> {
        self.surround(self.plain(text, 0, Unspelt::Refused)?, add_special)
    }

    /// As [`Tokenizer::encode`], without the characters that have no token: for text of which any will do.
    pub fn encode_known(&self, text: &str, add_special: bool) -> Result<Vec<u32>, TokenizeError> {
        self.surround(self.plain(text, 0, Unspelt::LeftOut)?, add_special)
    }

    /// As [`Tokenizer::encode`], but control tokens that the text spells become what they say.
    pub fn encode_special(&self, text: &str, add_special: bool) -> Result<Vec<u32>, TokenizeError> {
        self.surround(self.pieces(text, None)?, add_special)
    }

    /// Ids of the prompt that asks for the assistant's next turn. Only the template itself makes control tokens.
    pub fn encode_chat(&self, messages: &[Message]) -> Result<Vec<u32>, TokenizeError> {
        let template = self.chat().ok_or(TokenizeError::NoTemplate)?;
        let (text, mark) = self.rendered(template, messages)?;
        self.pieces(&text, Some(mark))
    }

    /// Leaves one of several leading BOS; whether there were several.
    pub fn drop_repeated_bos(&self, ids: &mut Vec<u32>) -> bool {
        let leading = ids.iter().take_while(|id| Some(**id) == self.bos()).count();
        ids.drain(..leading.saturating_sub(1)).count() > 0
    }

    /// The prompt with marks on what messages brought.
    ///
    /// Marks between all characters tell most, but some templates count characters or look for words. Where the text
    /// is not the same but for the marks, they stand only where a control token could begin.
    fn rendered(&self, template: &ChatTemplate, messages: &[Message]) -> Result<(String, Mark), TokenizeError> {
        let plain = template.render(messages)?;
        let contents = messages.iter().flat_map(|m| [m.role.as_str(), m.content.as_str()]);
        let texts = contents.chain(template.texts()).chain([plain.as_str()]);
        let mark = Mark::absent(texts).ok_or(TokenizeError::NoMark)?;
        let render = |change: &dyn Fn(&str) -> String| {
            let marked = |m: &Message| Message { role: m.role.clone(), content: change(&m.content) };
            template.render(&messages.iter().map(marked).collect::<Vec<_>>())
        };
        match render(&|content| mark.everywhere(content)) {
            Ok(marked) if mark.strip(&marked) == plain => Ok((marked, mark)),
            Ok(_) | Err(_) => Ok((render(&|content| mark.within(content, |c| self.controls.begin_with(c)))?, mark)),
        }
    }

    /// Ids of a text with the control tokens that it spells without a mark in them.
    fn pieces(&self, text: &str, mark: Option<Mark>) -> Result<Vec<u32>, TokenizeError> {
        let mut ids = Vec::new();
        for piece in self.controls.split(text) {
            match (piece, mark) {
                (Piece::Control(id), _) => ids.push(id),
                (Piece::Text(text, at), None) => ids.extend(self.plain(text, at, Unspelt::Refused)?),
                (Piece::Text(part, at), Some(mark)) => {
                    let at = mark.strip(&text[..at]).len();
                    ids.extend(self.plain(&mark.strip(part), at, Unspelt::Refused)?);
                }
            }
        }
        Ok(ids)
    }

    /// Ids of a text that is nothing but text; `at` bytes come before it.
    fn plain(&self, text: &str, at: usize, unspelt: Unspelt) -> Result<Vec<u32>, TokenizeError> {
        let encoding = self.parts.inner.encode_fast(text, false).map_err(|e| TokenizeError::library("encode", e))?;
        let ids = encoding.get_ids().to_vec();
        if unspelt == Unspelt::Refused {
            self.coverage.check(&self.parts.inner, text, at, || self.bytes(&ids))?;
        }
        // A vocabulary may spell a control token as a word of its own.
        let control = |id: &&u32| self.parts.tokens.get(**id as usize) == Some(&Token::Control);
        match ids.iter().filter(|id| Some(**id) != self.coverage.unknown()).find(control) {
            Some(id) => Err(TokenizeError::Control { token: self.parts.inner.id_to_token(*id).unwrap_or_default() }),
            None => Ok(ids),
        }
    }

    fn bytes(&self, ids: &[u32]) -> Vec<u8> {
        let bytes = |id: &u32| match self.parts.tokens.get(*id as usize) {
            Some(Token::Bytes(bytes)) => bytes.clone(),
            Some(Token::Control) | None => Vec::new(),
        };
        ids.iter().flat_map(bytes).collect()
    }

    /// Adds what belongs around a raw text.
    fn surround(&self, ids: Vec<u32>, add_special: bool) -> Result<Vec<u32>, TokenizeError> {
        if !add_special {
            return Ok(ids);
        }
        let token = |id| tokenizers::Token::new(id, String::new(), (0, 0));
        let bare = Encoding::from_tokens(ids.into_iter().map(token).collect(), 0);
        let whole = self.parts.inner.post_process(bare, None, true);
        let whole = whole.map_err(|e| TokenizeError::library("add special tokens", e))?;
        Ok(self.parts.prefix.into_iter().chain(whole.get_ids().iter().copied()).collect())
    }
}
