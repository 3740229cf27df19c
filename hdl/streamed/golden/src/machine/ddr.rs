//! DDR as the overlay sees it: the program's regions, nothing else.

use super::fault::Fault;
use sagen_streamed_arch::{DeviceError, Program, Region};

/// One region and its bytes.
struct Bank {
    region: Region,
    bytes: Vec<u8>,
}

/// Every region of a program.
#[derive(Default)]
pub(crate) struct Ddr {
    banks: Vec<Bank>,
}

impl Ddr {
    /// Regions of zeroes, then the image.
    pub(crate) fn load(program: &Program) -> Result<Self, DeviceError> {
        for pair in program.regions.windows(2) {
            if pair[0].base + pair[0].bytes > pair[1].base {
                let (a, b) = (&pair[0].name, &pair[1].name);
                return Err(DeviceError::Failed(format!("region {b} begins before the end of {a}")));
            }
        }
        let bank = |region: &Region| Bank { region: region.clone(), bytes: vec![0; region.bytes as usize] };
        let mut ddr = Self { banks: program.regions.iter().map(bank).collect() };
        for segment in &program.image {
            let (address, bytes) = (segment.base, segment.bytes.len());
            let (bank, at) = ddr.locate(address, bytes as u64).map_err(|_| DeviceError::Address { address, bytes })?;
            ddr.banks[bank].bytes[at..at + bytes].copy_from_slice(&segment.bytes);
        }
        Ok(ddr)
    }

    fn locate(&self, address: u64, bytes: u64) -> Result<(usize, usize), Fault> {
        let after = self.banks.partition_point(|b| b.region.base <= address);
        let found = after.checked_sub(1).map(|i| (i, address - self.banks[i].region.base));
        match found {
            Some((i, at)) if at + bytes <= self.banks[i].region.bytes => Ok((i, at as usize)),
            _ => Err(Fault::Unmapped { address, bytes }),
        }
    }

    /// Bytes that lie within one region.
    pub(crate) fn read(&self, address: u64, bytes: u64) -> Result<&[u8], Fault> {
        let (bank, at) = self.locate(address, bytes)?;
        Ok(&self.banks[bank].bytes[at..at + bytes as usize])
    }

    /// Bytes of one region that the overlay may write.
    pub(crate) fn write(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Fault> {
        let (bank, at) = self.locate(address, bytes)?;
        let Bank { region, bytes: all } = &mut self.banks[bank];
        if !region.writable() {
            return Err(Fault::ReadOnly { address, bytes, region: region.name.clone() });
        }
        Ok(&mut all[at..at + bytes as usize])
    }
}
