//! The one place that knows every family: from a config file to its overlay.

use sagen_config::library::Entry;
use sagen_config::{Board, ConfigError, ConfigFile, Family, FindError, find};
use sagen_overlay::Overlay;
use sagen_streamed_arch::template as streamed_template;
use sagen_streamed_rtl::overlay as streamed;

/// What a family makes of a config.
struct Makers {
    overlay: fn(&ConfigFile) -> Result<Overlay, ConfigError>,
    template: fn(&ConfigFile, &Board, &str) -> Result<String, ConfigError>,
}

fn makers(family: Family) -> Makers {
    match family {
        Family::Streamed => Makers { overlay: streamed::read, template: streamed_template::template },
    }
}

/// The overlay called `name`, or described by the file at that path.
pub fn overlay(name: &str) -> Result<Overlay, FindError> {
    Ok(of(&find::config(name)?)?)
}

/// The overlay of a config that is known by name.
pub fn known(entry: &Entry) -> Result<Overlay, FindError> {
    Ok(of(&find::known(entry)?)?)
}

/// The overlay that a config describes.
pub fn of(file: &ConfigFile) -> Result<Overlay, ConfigError> {
    (makers(file.family).overlay)(file)
}

/// The text of a new config for the file called `stem`: the values of `like` on a board, every field explained.
pub fn template(like: &ConfigFile, board: &Board, stem: &str) -> Result<String, ConfigError> {
    (makers(like.family).template)(like, board, stem)
}
