/** Bytes, or a text in UTF-8, as a gzip of one member. */
export async function gzipped(content: string | Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([content as string | Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
