//! Boxes, arrows and text. Colours stand on a light ground of their own, so that the picture reads on any page.

use crate::tree::TreeError;
use sagen_overlay::diagram::{Area, Diagram, Line, Look, Mark, Text};
use std::fmt::Write;

/// How a text is spelled out.
pub(super) type Spell<'a> = &'a dyn Fn(&Text) -> Result<String, TreeError>;

/// The whole file.
pub(super) fn draw(diagram: &Diagram, spell: Spell<'_>) -> Result<String, TreeError> {
    let mut picture = Picture::default();
    diagram.marks.iter().try_for_each(|mark| picture.mark(mark, spell))?;
    Ok(picture.finish(diagram.width, diagram.height, &diagram.title))
}

fn colours(look: Look) -> (&'static str, &'static str) {
    match look {
        Look::System => ("#eceff1", "#78909c"),
        Look::Port => ("#ffffff", "#78909c"),
        Look::Control => ("#fce4ec", "#ad1457"),
        Look::Move => ("#e3f2fd", "#1565c0"),
        Look::Compute => ("#e8f5e9", "#2e7d32"),
        Look::Memory => ("#fff8e1", "#b26a00"),
        Look::Vector => ("#ede7f6", "#5e35b1"),
        Look::Inner => ("#ffffff", "#90a4ae"),
    }
}

/// A picture under construction, in layers: boxes that hold others, arrows, boxes and text, labels.
#[derive(Default)]
struct Picture {
    grounds: String,
    arrows: String,
    boxes: String,
    labels: String,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn rectangle(look: Look, Area { x, y, w, h }: Area) -> String {
    let (fill, stroke) = colours(look);
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
    fn mark(&mut self, mark: &Mark, spell: Spell<'_>) -> Result<(), TreeError> {
        let all = |lines: &[Text]| lines.iter().map(spell).collect::<Result<Vec<_>, _>>();
        match mark {
            Mark::Heading { at, title, text } => self.heading(*at, *title, &spell(text)?),
            Mark::Boxed { look, area, title, lines } => self.boxed(*look, *area, title, &all(lines)?),
            Mark::Around { look, area, title } => self.around(*look, *area, title),
            Mark::Words { at, title, lines } => self.text(*at, title, &all(lines)?),
            Mark::Arrow { line, corners, both } => self.arrow(*line, corners, *both),
            Mark::Label { at, text } => self.label(*at, &spell(text)?),
        }
        Ok(())
    }

    /// A box with a title and lines below it, all centred.
    fn boxed(&mut self, look: Look, a: Area, title: &str, lines: &[String]) {
        self.boxes += &rectangle(look, a);
        self.text((a.x + a.w / 2, a.middle()), title, lines);
    }

    /// A title and lines below it, around a point.
    fn text(&mut self, (x, y): (i32, i32), title: &str, lines: &[String]) {
        let height = 20 + 18 * lines.len() as i32;
        let top = y - height / 2 + 16;
        self.title(x, top, title);
        for (i, line) in lines.iter().enumerate() {
            self.line(x, top + 19 + 18 * i as i32, line);
        }
    }

    /// A box that holds others, with its title at the top.
    fn around(&mut self, look: Look, a: Area, title: &str) {
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
    fn heading(&mut self, (x, y): (i32, i32), title: bool, text: &str) {
        let class = if title { "head" } else { "note" };
        put!(self.labels, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>", escape(text));
    }

    /// An arrow along corners; its head is at the last one, and at the first too where it goes both ways.
    fn arrow(&mut self, line: Line, corners: &[(i32, i32)], both: bool) {
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
    fn label(&mut self, (x, y): (i32, i32), text: &str) {
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
    fn finish(self, w: i32, h: i32, title: &str) -> String {
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
