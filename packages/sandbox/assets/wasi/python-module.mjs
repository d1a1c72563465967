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
  const memory = [...text("memory"), kinds.memory, 1, ...unsigned(initialPages), ...unsigned(maximumPages)];
  const items = {
    [sectionIds.import]: [[...text("env"), ...memory]],
    [sectionIds.export]: [
      [...text("table"), kinds.table, 0],
      [...text("stackPointer"), kinds.global, 0],
    ],
  };
  const parts = [bytes.subarray(0, 8)];
  let segments = [];
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at];
    const [size, start] = readUnsigned(bytes, at + 1);
    const body = bytes.subarray(start, start + size);
    if (id === sectionIds.data) segments = dataSegments(body);
    else if (items[id]) parts.push(appended(id, body, items[id]));
    else if (id !== sectionIds.custom && id !== sectionIds.memory) parts.push(bytes.subarray(at, start + size));
    at = start + size;
  }
  return { module: new WebAssembly.Module(Buffer.concat(parts)), segments };
}

/** A section that is a vector, with more items at its end. */
function appended(id, body, items) {
  const [known, start] = readUnsigned(body, 0);
  const content = [...unsigned(known + items.length), ...body.subarray(start), ...items.flat()];
  return Uint8Array.from([id, ...unsigned(content.length), ...content]);
}

/** Active segments of memory 0: flag 0, `i32.const offset` with an offset from 0, `end`, bytes. */
function dataSegments(body) {
  let [count, at] = readUnsigned(body, 0);
  return Array.from({ length: count }, () => {
    if (body[at] !== 0 || body[at + 1] !== 0x41)
      throw new Error(`unexpected data at ${at} of the interpreter's binary`);
    const [offset, end] = readUnsigned(body, at + 2);
    const [size, start] = readUnsigned(body, end + 1);
    at = start + size;
    return { offset, data: body.subarray(start, at) };
  });
}

/** LEB128 of at most 32 bits, and where it ends. */
function readUnsigned(bytes, start) {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    value |= (bytes[at] & 127) << shift;
    if (bytes[at] < 128) return [value >>> 0, at + 1];
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
