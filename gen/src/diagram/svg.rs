//! Boxes, arrows and text. Colours stand on a light ground of their own, so that the picture reads on any page.

use std::fmt::Write;

/// What a box is.
#[derive(Clone, Copy)]
pub(super) enum Look {
    System,
    Port,
    Control,
    Move,
    Compute,
    Memory,
    Vector,
    Inner,
}

impl Look {
    fn colours(self) -> (&'static str, &'static str) {
        match self {
            Self::System => ("#eceff1", "#78909c"),
            Self::Port => ("#ffffff", "#78909c"),
            Self::Control => ("#fce4ec", "#ad1457"),
            Self::Move => ("#e3f2fd", "#1565c0"),
            Self::Compute => ("#e8f5e9", "#2e7d32"),
            Self::Memory => ("#fff8e1", "#b26a00"),
            Self::Vector => ("#ede7f6", "#5e35b1"),
            Self::Inner => ("#ffffff", "#90a4ae"),
        }
    }
}

/// A rectangle.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) w: i32,
    pub(super) h: i32,
}

impl Area {
    pub(super) fn right(self) -> i32 {
        self.x + self.w
    }
    pub(super) fn bottom(self) -> i32 {
        self.y + self.h
    }
    pub(super) fn middle(self) -> i32 {
        self.y + self.h / 2
    }
    /// The smallest area that holds both.
    pub(super) fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, w: right - x, h: bottom - y }
    }
}

/// What an arrow carries.
#[derive(Clone, Copy)]
pub(super) enum Line {
    Data,
    Descriptors,
}

/// A picture under construction, in layers: boxes that hold others, arrows, boxes and text, labels.
#[derive(Default)]
pub(super) struct Picture {
    grounds: String,
    arrows: String,
    boxes: String,
    labels: String,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn rectangle(look: Look, Area { x, y, w, h }: Area) -> String {
    let (fill, stroke) = look.colours();
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>\n"
    )
}

macro_rules! put {
    ($to:expr, $($text:tt)*) => {
        writeln!($to, $($text)*).expect("a string can be written to")
    };
}

impl Picture {
    /// A box with a title and lines below it, all centred.
    pub(super) fn boxed(&mut self, look: Look, a: Area, title: &str, lines: &[String]) {
        self.boxes += &rectangle(look, a);
        self.text(a.x + a.w / 2, a.middle(), title, lines);
    }

    /// A title and lines below it, around a point.
    pub(super) fn text(&mut self, x: i32, y: i32, title: &str, lines: &[String]) {
        let height = 20 + 18 * lines.len() as i32;
        let top = y - height / 2 + 16;
        self.title(x, top, title);
        for (i, line) in lines.iter().enumerate() {
            self.line(x, top + 19 + 18 * i as i32, line);
        }
    }

    /// A box that holds others, with its title at the top.
    pub(super) fn around(&mut self, look: Look, a: Area, title: &str) {
        self.grounds += &rectangle(look, a);
        self.title(a.x + a.w / 2, a.y + 21, title);
    }

    fn title(&mut self, x: i32, y: i32, text: &str) {
        put!(self.boxes, "<text x=\"{x}\" y=\"{y}\" class=\"title\">{}</text>", escape(text));
    }

    fn line(&mut self, x: i32, y: i32, text: &str) {
        put!(self.boxes, "<text x=\"{x}\" y=\"{y}\">{}</text>", escape(text));
    }

    /// Text at the left margin.
    pub(super) fn heading(&mut self, x: i32, y: i32, class: &str, text: &str) {
        put!(self.labels, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>", escape(text));
    }

    /// An arrow along corners; its head is at the last one, and at the first too where it goes both ways.
    pub(super) fn arrow(&mut self, line: Line, corners: &[(i32, i32)], both: bool) {
        let points: Vec<String> = corners.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let (class, head) = match line {
            Line::Data => ("data", "head"),
            Line::Descriptors => ("descriptors", "soft"),
        };
        let start = if both { format!(" marker-start=\"url(#{head})\"") } else { String::new() };
        put!(
            self.arrows,
            "<polyline points=\"{}\" class=\"{class}\" marker-end=\"url(#{head})\"{start}/>",
            points.join(" ")
        );
    }

    /// A label in the middle of an arrow, on a ground of its own.
    pub(super) fn label(&mut self, x: i32, y: i32, text: &str) {
        let w = 8 * text.chars().count() as i32 + 6;
        put!(
            self.labels,
            "<rect x=\"{}\" y=\"{}\" width=\"{w}\" height=\"18\" fill=\"#ffffff\"/>\n<text x=\"{x}\" y=\"{}\" class=\"label\">{}</text>",
            x - w / 2,
            y - 9,
            y + 5,
            escape(text)
        );
    }

    /// The whole file.
    pub(super) fn finish(self, w: i32, h: i32, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">
<title>{}</title>
<style>
text {{ font: 15px 'DejaVu Sans', Verdana, Arial, sans-serif; fill: #263238; text-anchor: middle; }}
.title {{ font-weight: bold; font-size: 16px; }}
.head {{ font-weight: bold; font-size: 21px; text-anchor: start; }}
.note {{ text-anchor: start; fill: #455a64; }}
.label {{ font-size: 14px; }}
polyline {{ fill: none; stroke-width: 2; }}
.data {{ stroke: #37474f; }}
.descriptors {{ stroke: #ad1457; stroke-dasharray: 6 4; stroke-width: 1.5; }}
</style>
<defs>
<marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"12\" markerHeight=\"12\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0,0 L10,5 L0,10 z\" fill=\"#37474f\"/></marker>
<marker id=\"soft\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"11\" markerHeight=\"11\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0,0 L10,5 L0,10 z\" fill=\"#ad1457\"/></marker>
</defs>
<rect x=\"0\" y=\"0\" width=\"{w}\" height=\"{h}\" rx=\"12\" fill=\"#ffffff\" stroke=\"#cfd8dc\"/>
{}{}{}{}</svg>
",
            escape(title),
            self.grounds,
            self.arrows,
            self.boxes,
            self.labels
        )
    }
}
