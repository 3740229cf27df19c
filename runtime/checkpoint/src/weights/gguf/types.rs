//! Tensor types by their number in the file.

use candle_core::quantized::GgmlDType;

/// Number, name, and the decoder where there is one.
const TYPES: &[(u32, &str, Option<GgmlDType>)] = &[
    (0, "F32", Some(GgmlDType::F32)),
    (1, "F16", Some(GgmlDType::F16)),
    (30, "BF16", Some(GgmlDType::BF16)),
    (2, "Q4_0", Some(GgmlDType::Q4_0)),
    (3, "Q4_1", Some(GgmlDType::Q4_1)),
    (6, "Q5_0", Some(GgmlDType::Q5_0)),
    (7, "Q5_1", Some(GgmlDType::Q5_1)),
    (8, "Q8_0", Some(GgmlDType::Q8_0)),
    (10, "Q2_K", Some(GgmlDType::Q2K)),
    (11, "Q3_K", Some(GgmlDType::Q3K)),
    (12, "Q4_K", Some(GgmlDType::Q4K)),
    (13, "Q5_K", Some(GgmlDType::Q5K)),
    (14, "Q6_K", Some(GgmlDType::Q6K)),
    (9, "Q8_1", None),
    (15, "Q8_K", None),
    (16, "IQ2_XXS", None),
    (17, "IQ2_XS", None),
    (18, "IQ3_XXS", None),
    (19, "IQ1_S", None),
    (20, "IQ4_NL", None),
    (21, "IQ3_S", None),
    (22, "IQ2_S", None),
    (23, "IQ4_XS", None),
    (24, "I8", None),
    (25, "I16", None),
    (26, "I32", None),
    (27, "I64", None),
    (28, "F64", None),
    (29, "IQ1_M", None),
    (34, "TQ1_0", None),
    (35, "TQ2_0", None),
    (39, "MXFP4", None),
];

/// The decoder of a type, or the type's name where it has none.
pub(super) fn decoder(number: u32) -> Result<GgmlDType, String> {
    match TYPES.iter().find(|(n, ..)| *n == number) {
        Some((_, _, Some(dtype))) => Ok(*dtype),
        Some((_, name, None)) => Err((*name).to_owned()),
        None => Err(format!("number {number}")),
    }
}

/// Names of all types with a decoder.
pub(super) fn supported() -> String {
    let names = TYPES.iter().filter(|(_, _, dtype)| dtype.is_some()).map(|(_, name, _)| *name);
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub(super) fn decodable() -> impl Iterator<Item = GgmlDType> {
    TYPES.iter().filter_map(|(_, _, dtype)| *dtype)
}
