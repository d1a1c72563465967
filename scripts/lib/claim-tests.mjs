/**
 * The tests that compare a file's claims with what they name: see `scripts/claims.mjs`.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const claimTests = {
  "packages/engine/src/lora/lora-settings.ts": ["packages/engine/test/peft-parity.long.test.ts"],
  "packages/engine/src/lora/peft-folder.ts": ["packages/engine/test/peft-parity.long.test.ts"],
  "packages/grading/src/maths/reading/typed-maths.ts": [
    "packages/grading/test/sympy.long.test.ts",
    "packages/grading/test/sympy.nightly.test.ts",
  ],
  "packages/sandbox/src/replies/code-blocks.ts": ["packages/sandbox/src/replies/peers.test.ts"],
  "packages/tokenizers/src/chat-template.ts": [
    "packages/tokenizers/test/chat-template.test.ts",
    "packages/tokenizers/test/chat-template.nightly.test.ts",
  ],
  "packages/tokenizers/src/framing.ts": ["packages/tokenizers/test/framing.long.test.ts"],
  "packages/tokenizers/src/jinja/filters.ts": ["packages/tokenizers/test/chat-template.test.ts"],
  "packages/tokenizers/src/jinja/lexer.ts": ["packages/tokenizers/test/chat-template.test.ts"],
  "packages/tokenizers/src/jinja/operators.ts": ["packages/tokenizers/test/chat-template.test.ts"],
  "packages/tokenizers/src/special-tokens.ts": ["packages/tokenizers/test/parity.long.test.ts"],
};
