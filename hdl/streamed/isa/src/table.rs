//! What one table of descriptors becomes: a struct an operation, the enums of operations and opcodes, and layouts.

/// A table of operations by unit. For every operation there will be a struct of values, `FIELDS` with the place of each,
/// and a variant of [`crate::Operation`] and of [`crate::Opcode`]; for every unit an enum of its opcodes and one of its
/// operations.
///
/// Whoever has to know all operations matches on [`crate::UnitOperation`] and then, in the part that deals with a unit,
/// on the enum of that unit, both without a wildcard: a new operation does not compile there until it is dealt with, and
/// concerns nobody else.
macro_rules! descriptors {
    ($( $(#[doc = $unit_doc:literal])+ $unit:ident: $of_unit:ident, $operations:ident { $(
        $(#[doc = $doc:literal])+ $name:ident($fields:ident) = $opcode:literal {
            $( $(#[doc = $field_doc:literal])+ $field:ident: $kind:ident $(($($arg:tt)*))?, )+
        }
    )+ } )+) => {
        $($(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $name { $( $(#[doc = $field_doc])+ pub $field: field_type!($kind $(($($arg)*))?), )+ }

            #[doc = concat!("Where the fields of [`", stringify!($name), "`] lie.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $fields {
                $( $(#[doc = $field_doc])+ pub $field: <field_type!($kind $(($($arg)*))?) as Value>::Place, )+
            }

            impl $name {
                const PLACED: ($fields, Fields) = {
                    let mut to = Fields::from_bit(BODY_BIT);
                    let fields = $fields { $( $field: field_place!(
                        to, stringify!($field), concat!($($field_doc),+), $kind $(($($arg)*))?
                    ), )+ };
                    (fields, to)
                };
                /// Where each field lies.
                pub const FIELDS: $fields = Self::PLACED.0;
                /// Everything that tables and headers say about it.
                pub const LAYOUT: &'static Layout = &Layout {
                    name: stringify!($name), doc: concat!($($doc),+).trim_ascii(), opcode: Opcode::$name,
                    unit: Unit::$unit, fields: { const PLACED: &Fields = &$name::PLACED.1; PLACED.list() },
                };
                fn pack(self, to: &mut Packer) -> Result<(), FieldError> {
                    $( self.$field.put(Self::FIELDS.$field, to)?; )+
                    Ok(())
                }
                fn unpack(words: &Words) -> Self {
                    Self { $( $field: Value::take(Self::FIELDS.$field, words), )+ }
                }
            }

            impl From<$name> for Operation {
                fn from(op: $name) -> Self { Operation::$name(op) }
            }
        )+)+

        /// What a descriptor asks its unit to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation { $($( $(#[doc = $doc])+ $name($name), )+)+ }

        /// Which operation a descriptor is. Two with one number do not compile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode { $($( $(#[doc = $doc])+ $name = $opcode, )+)+ }

        $(
            $(#[doc = $unit_doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $of_unit { $( $(#[doc = $doc])+ $name, )+ }

            impl $of_unit {
                /// All of them.
                pub const ALL: &'static [Self] = &[$( Self::$name, )+];
                /// Among all opcodes.
                pub const fn opcode(self) -> Opcode {
                    match self { $( Self::$name => Opcode::$name, )+ }
                }
            }

            $(#[doc = $unit_doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum $operations { $( $(#[doc = $doc])+ $name($name), )+ }
        )+

        /// An opcode, by the unit that executes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum UnitOpcode { $( $(#[doc = $unit_doc])+ $unit($of_unit), )+ }

        /// An operation, by the unit that executes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum UnitOperation { $( $(#[doc = $unit_doc])+ $unit($operations), )+ }

        /// Every descriptor type, by opcode.
        pub const LAYOUTS: &[&Layout] = &[$($( $name::LAYOUT, )+)+];

        impl Opcode {
            /// All of them, ascending.
            pub const ALL: &'static [Self] = &[$($( Self::$name, )+)+];
            /// The operation with this number.
            pub const fn from_bits(bits: u8) -> Option<Self> {
                match bits { $($( $opcode => Some(Self::$name), )+)+ _ => None }
            }
            /// The layout of this descriptor type.
            pub const fn layout(self) -> &'static Layout {
                match self { $($( Self::$name => $name::LAYOUT, )+)+ }
            }
            /// The same among those of its unit.
            pub const fn by_unit(self) -> UnitOpcode {
                match self { $($( Self::$name => UnitOpcode::$unit($of_unit::$name), )+)+ }
            }
        }

        impl Operation {
            /// Which it is.
            pub const fn opcode(&self) -> Opcode {
                match self { $($( Operation::$name(_) => Opcode::$name, )+)+ }
            }
            /// The same among those of its unit.
            pub const fn by_unit(self) -> UnitOperation {
                match self { $($( Operation::$name(op) => UnitOperation::$unit($operations::$name(op)), )+)+ }
            }
            pub(crate) fn pack(&self, to: &mut Packer) -> Result<(), FieldError> {
                match self { $($( Operation::$name(op) => op.pack(to), )+)+ }
            }
            pub(crate) fn unpack(opcode: Opcode, words: &Words) -> Self {
                match opcode { $($( Opcode::$name => Operation::$name($name::unpack(words)), )+)+ }
            }
        }
    };
}

pub(crate) use descriptors;
