//! The block diagram of an overlay as data: where boxes and arrows stand, and which facts of the module tree they show.
//! Whoever draws it looks the facts up, so that a picture cannot tell what the hardware is not.

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

impl Area {
    /// Right edge.
    #[must_use]
    pub fn right(self) -> i32 {
        self.x + self.w
    }
    /// Lower edge.
    #[must_use]
    pub fn bottom(self) -> i32 {
        self.y + self.h
    }
    /// Half way down.
    #[must_use]
    pub fn middle(self) -> i32 {
        self.y + self.h / 2
    }
    /// The smallest area that holds both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, w: right - x, h: bottom - y }
    }
}

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The processing system.
    System,
    /// A port of the processing system.
    Port,
    /// Control.
    Control,
    /// Moves data.
    Move,
    /// Multiplies.
    Compute,
    /// Holds data.
    Memory,
    /// Element-wise operations.
    Vector,
    /// A part of another box.
    Inner,
}

/// What an arrow carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Data.
    Data,
    /// Descriptors.
    Descriptors,
}

/// A part of a text. Instances are named from the synthesis top down, with `/` between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it stands.
    Plain(String),
    /// Bits of a port of an instance.
    Width(String, &'static str),
    /// Size and kind of the memories below an instance.
    Memory(String),
    /// Their kind.
    MemoryKind(String),
    /// How often so many bits go into them.
    Copies(String, u64),
}

/// One line of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Piece>);

impl Text {
    /// One piece.
    #[must_use]
    pub fn of(piece: Piece) -> Self {
        Self(vec![piece])
    }
    /// One more.
    #[must_use]
    pub fn then(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self::of(Piece::Plain(text.into()))
    }
}

/// Something to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Text at the left margin: the title, or a note below it.
    Heading {
        /// Left end of its base line.
        at: (i32, i32),
        /// The title.
        title: bool,
        /// What it says.
        text: Text,
    },
    /// A box with a title and lines below it, all centred.
    Boxed {
        /// What it is.
        look: Look,
        /// Where.
        area: Area,
        /// First line.
        title: String,
        /// The others.
        lines: Vec<Text>,
    },
    /// A box that holds others, with its title at the top.
    Around {
        /// What it is.
        look: Look,
        /// Where.
        area: Area,
        /// Title.
        title: String,
    },
    /// A title and lines below it, around a point.
    Words {
        /// The point.
        at: (i32, i32),
        /// First line.
        title: String,
        /// The others.
        lines: Vec<Text>,
    },
    /// An arrow along corners; its head is at the last one, and at the first too where it goes both ways.
    Arrow {
        /// What it carries.
        line: Line,
        /// Corners.
        corners: Vec<(i32, i32)>,
        /// It goes both ways.
        both: bool,
    },
    /// A label in the middle of an arrow, on a ground of its own.
    Label {
        /// Its middle.
        at: (i32, i32),
        /// What it says.
        text: Text,
    },
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
    /// For those who do not see it.
    pub title: String,
    /// In the order in which they are drawn.
    pub marks: Vec<Mark>,
    /// Instances that have a place.
    pub placed: Vec<String>,
    /// Instances all of whose own instances must have a place.
    pub complete: Vec<String>,
}

impl Diagram {
    /// Adds a box that shows an instance.
    pub fn shown(&mut self, instance: &str, look: Look, area: Area, title: &str, lines: Vec<Text>) {
        self.placed.push(instance.to_string());
        self.boxed(look, area, title, lines);
    }
    /// Adds a box that shows no instance.
    pub fn boxed(&mut self, look: Look, area: Area, title: &str, lines: Vec<Text>) {
        self.marks.push(Mark::Boxed { look, area, title: title.to_string(), lines });
    }
    /// Adds a box that holds others.
    pub fn around(&mut self, look: Look, area: Area, title: &str) {
        self.marks.push(Mark::Around { look, area, title: title.to_string() });
    }
    /// Adds an arrow.
    pub fn arrow(&mut self, line: Line, corners: &[(i32, i32)], both: bool) {
        self.marks.push(Mark::Arrow { line, corners: corners.to_vec(), both });
    }
    /// Adds an arrow for data, with its width in the middle of a straight one.
    pub fn data(&mut self, corners: &[(i32, i32)], both: bool, width: Text) {
        let ((x0, y), (x1, _)) = (corners[0], corners[corners.len() - 1]);
        self.arrow(Line::Data, corners, both);
        self.label(((x0 + x1) / 2, y), width);
    }
    /// Adds a label.
    pub fn label(&mut self, at: (i32, i32), text: Text) {
        self.marks.push(Mark::Label { at, text });
    }
}
