/** Fields of a protobuf message: varints, 64-bit and 32-bit numbers, bytes. Independent of the tested encoder. */
export function* fields(data: Buffer): Generator<{ field: number; value: number | Buffer }> {
  let index = 0;
  const varint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = data[index++] as number;
      value += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) return value;
    }
  };
  while (index < data.length) {
    const tag = varint();
    const [field, wire] = [Math.floor(tag / 8), tag & 7];
    if (wire === 0) yield { field, value: varint() };
    else if (wire === 1) yield { field, value: data.readDoubleLE((index += 8) - 8) };
    else if (wire === 5) yield { field, value: data.readFloatLE((index += 4) - 4) };
    else {
      const length = varint();
      yield { field, value: data.subarray(index, (index += length)) };
    }
  }
}

export function bytesOf(data: Buffer, wanted: number): Buffer[] {
  return [...fields(data)].flatMap(({ field, value }) => (field === wanted ? [value as Buffer] : []));
}
