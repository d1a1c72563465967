// The part of WebAssembly's interface that is used here; Node's types leave it to the DOM library.
declare namespace WebAssembly {
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  function validate(bytes: Uint8Array): boolean;
  function instantiate(
    bytes: Uint8Array,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<{ readonly instance: { readonly exports: Readonly<Record<string, unknown>> } }>;
}
