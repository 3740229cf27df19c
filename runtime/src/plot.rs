//! A line chart as SVG: curves over two linear axes that begin at zero.

use std::fmt::Write;

/// Points joined by a line, or dots.
pub struct Curve<'a> {
    /// For the key.
    pub name: &'a str,
    /// Horizontal and vertical.
    pub points: &'a [(f64, f64)],
    /// As SVG writes it.
    pub color: &'a str,
    /// Dots instead of a line.
    pub dots: bool,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 28.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 50.0;
/// Intervals of an axis, about.
const TICKS: f64 = 6.0;

/// The picture; `unit` divides the numbers of the vertical axis.
#[must_use]
pub fn svg(title: &str, x_name: &str, y_name: &str, unit: f64, curves: &[Curve<'_>]) -> String {
    let greatest = |of: fn(&(f64, f64)) -> f64| {
        curves.iter().flat_map(|c| c.points).map(of).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
    };
    let (x_step, y_step) = (step(greatest(|p| p.0)), step(greatest(|p| p.1)));
    let x_end = (greatest(|p| p.0) / x_step).ceil() * x_step;
    let y_end = (greatest(|p| p.1) / y_step).ceil() * y_step;
    let x = |v: f64| LEFT + v / x_end * (WIDTH - LEFT - RIGHT);
    let y = |v: f64| HEIGHT - BOTTOM - v / y_end * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escape(title)
    );
    let mut add = |piece: String| out.push_str(&piece);
    for i in 0..=(x_end / x_step).round() as u32 {
        let v = f64::from(i) * x_step;
        add(line(x(v), y(0.0), x(v), y(y_end), "#e4e4e4"));
        add(text(x(v), HEIGHT - BOTTOM + 18.0, "middle", &number(v)));
    }
    for i in 0..=(y_end / y_step).round() as u32 {
        let v = f64::from(i) * y_step;
        add(line(x(0.0), y(v), x(x_end), y(v), "#e4e4e4"));
        add(text(LEFT - 8.0, y(v) + 4.0, "end", &number(v / unit)));
    }
    add(text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", x_name));
    add(text(LEFT - 8.0, TOP - 8.0, "start", y_name));
    for (i, curve) in curves.iter().enumerate() {
        add(drawn(curve, x, y));
        let at = HEIGHT - BOTTOM - 20.0 * (curves.len() - i) as f64;
        add(format!(
            "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n",
            x_of_key(),
            at - 6.0,
            curve.color
        ));
        add(text(x_of_key() + 20.0, at, "start", curve.name));
    }
    out.push_str("</svg>\n");
    out
}

fn x_of_key() -> f64 {
    WIDTH - RIGHT - 200.0
}

fn drawn(curve: &Curve<'_>, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    let mut out = String::new();
    if curve.dots {
        for (px, py) in curve.points {
            let _ =
                writeln!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{}\"/>", x(*px), y(*py), curve.color);
        }
        return out;
    }
    let points: Vec<String> = curve.points.iter().map(|(px, py)| format!("{:.1},{:.1}", x(*px), y(*py))).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
        points.join(" "),
        curve.color
    );
    out
}

fn line(x1: f64, y1: f64, x2: f64, y2: f64, color: &str) -> String {
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\"/>\n")
}

fn text(x: f64, y: f64, anchor: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escape(text))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// 1, 2 or 5 times a power of ten.
fn step(greatest: f64) -> f64 {
    let power = 10f64.powf((greatest / TICKS).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| greatest / s <= TICKS).unwrap_or(10.0 * power)
}

fn number(v: f64) -> String {
    let text = format!("{v:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_steps_and_every_point_is_drawn() {
        assert_eq!([2047.0, 2.6e6, 0.9].map(step), [500.0, 5e5, 0.2]);
        let curve = Curve { name: "a < b", points: &[(0.0, 1.0), (4.0, 2.0)], color: "#000000", dots: true };
        let svg = svg("t", "x", "y", 1.0, &[curve]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a &lt; b"));
    }
}
