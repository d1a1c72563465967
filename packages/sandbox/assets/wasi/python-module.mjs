// CPython's WebAssembly binary, rewritten so that its memory can be filled from outside: the memory becomes an import with
// an upper limit, the data segments are taken out, and the function table and the stack pointer are exported.
// Sections as in https://webassembly.github.io/spec/core/binary/modules.html
const sectionIds = { custom: 0, import: 2, memory: 5, export: 7, data: 11 };
const kinds = { table: 1, memory: 2, global: 3 };
const initialPages = 160;

/**
 * @param {Uint8Array} bytes the binary as published
 * @param {number} maximumPages upper limit of the memory, in pages of 64 KiB
 * @returns {{ module: WebAssembly.Module, segments: { offset: number, data: Uint8Array }[] }}
 */
export function pythonModule(bytes, maximumPages) {
  const parts = [bytes.subarray(0, 8)];
  let segments = [];
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.unsigned();
    const body = reader.take(size);
    if (id === sectionIds.data) segments = dataSegments(body);
    else if (id === sectionIds.import)
      parts.push(
        appended(id, body, [
          [...text("env"), ...text("memory"), kinds.memory, 1, ...unsigned(initialPages), ...unsigned(maximumPages)],
        ]),
      );
    else if (id === sectionIds.export)
      parts.push(
        appended(id, body, [
          [...text("table"), kinds.table, 0],
          [...text("stackPointer"), kinds.global, 0],
        ]),
      );
    else if (id !== sectionIds.custom && id !== sectionIds.memory) parts.push(bytes.subarray(start, reader.at));
  }
  return { module: new WebAssembly.Module(Buffer.concat(parts)), segments };
}

/** A section that is a vector, with more items at its end. */
function appended(id, body, items) {
  const reader = new Reader(body, 0);
  const count = unsigned(reader.unsigned() + items.length);
  const rest = body.subarray(reader.at);
  const more = items.flat();
  return Buffer.concat([
    Uint8Array.from([id, ...unsigned(count.length + rest.length + more.length), ...count]),
    rest,
    Uint8Array.from(more),
  ]);
}

/** Active segments of memory 0: flag 0, `i32.const offset`, `end`, bytes. */
function dataSegments(body) {
  const reader = new Reader(body, 0);
  return Array.from({ length: reader.unsigned() }, () => {
    reader.expect(0);
    reader.expect(0x41);
    const offset = reader.signed() >>> 0;
    reader.expect(0x0b);
    return { offset, data: reader.take(reader.unsigned()) };
  });
}

class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  take(size) {
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  expect(byte) {
    if (this.byte() !== byte) throw new Error(`unexpected byte at ${this.at - 1} of the interpreter's binary`);
  }

  /** LEB128 of at most 32 bits. */
  unsigned() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }

  signed() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return shift < 25 && byte & 64 ? value | (-1 << (shift + 7)) : value;
    }
  }
}

function unsigned(value) {
  const bytes = [];
  do {
    bytes.push((value & 127) | (value > 127 ? 128 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
}

function text(value) {
  return [...unsigned(value.length), ...Buffer.from(value)];
}
