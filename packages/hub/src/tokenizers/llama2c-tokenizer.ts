import { LaconicError } from "@laconic/core";
import { controlToken } from "./special-tokens.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

/** Max bytes of a token. */
const longest = 1 << 12;

/**
 * Converts tokenizer.bin of a llama2.c checkpoint to the files of a Hugging Face folder: SentencePiece byte-pair
 * encoding, with scores as an order of merges. A chat is its messages joined by newlines.
 * @param vocabularySize - of the model
 * @throws LaconicError `weights_invalid` for another format
 */
export function llama2cTokenizer(bytes: Uint8Array, vocabularySize: number, place = "tokenizer.bin"): TokenizerFiles {
  const pieces = piecesIn(bytes, vocabularySize, place);
  const [unknown, begin, end] = ["<unk>", "<s>", "</s>"];
  const texts = [unknown, begin, end, ...pieces.slice(3).map(({ text }) => text.replaceAll(" ", "▁"))];
  const ids = new Map(texts.map((text, id) => [text, id]));
  if (ids.size !== texts.length) throw invalid(place, "repeats a token");
  const beginning = { SpecialToken: { id: begin, type_id: 0 } };
  return {
    tokenizer: {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: [unknown, begin, end].map(controlToken),
      normalizer: {
        type: "Sequence",
        normalizers: [
          { type: "Prepend", prepend: "▁" },
          { type: "Replace", pattern: { String: " " }, content: "▁" },
        ],
      },
      pre_tokenizer: null,
      post_processor: {
        type: "TemplateProcessing",
        single: [beginning, { Sequence: { id: "A", type_id: 0 } }],
        pair: [
          beginning,
          { Sequence: { id: "A", type_id: 0 } },
          { SpecialToken: { id: begin, type_id: 1 } },
          { Sequence: { id: "B", type_id: 1 } },
        ],
        special_tokens: { [begin]: { id: begin, ids: [1], tokens: [begin] } },
      },
      decoder: {
        type: "Sequence",
        decoders: [
          { type: "Replace", pattern: { String: "▁" }, content: " " },
          { type: "ByteFallback" },
          { type: "Fuse" },
          { type: "Strip", content: " ", start: 1, stop: 0 },
        ],
      },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: unknown,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        vocab: Object.fromEntries(ids),
        merges: mergesOf(texts, ids, pieces),
      },
    },
    config: {
      tokenizer_class: "LlamaTokenizerFast",
      bos_token: begin,
      eos_token: end,
      unk_token: unknown,
      add_bos_token: true,
      add_eos_token: false,
      clean_up_tokenization_spaces: false,
      legacy: true,
    },
    generation: { bos_token_id: 1, eos_token_id: 2 },
    chatTemplate:
      "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% if not loop.last %}\n{% endif %}{% endfor %}",
  };
}

interface Piece {
  readonly text: string;
  readonly score: number;
}

function invalid(place: string, what: string): LaconicError {
  return new LaconicError("weights_invalid", `${place} ${what}`, { file: place });
}

/** The longest token's bytes (int32), then per token its score (float32), length (int32) and bytes. */
function piecesIn(bytes: Uint8Array, count: number, place: string): Piece[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const cut = (index: number): LaconicError =>
    invalid(place, `ends after ${index} of ${count} tokens: truncated, or another model's tokenizer`);
  let position = 4;
  const pieces: Piece[] = [];
  for (let i = 0; i < count; i++) {
    if (position + 8 > bytes.length) throw cut(i);
    const [score, length] = [view.getFloat32(position, true), view.getInt32(position + 4, true)];
    if (Number.isNaN(score) || length < 0 || length > longest)
      throw invalid(place, `is not a llama2.c tokenizer: token ${i} has ${length} bytes and score ${score}`);
    position += 8;
    if (position + length > bytes.length) throw cut(i);
    try {
      pieces.push({ text: decoder.decode(bytes.subarray(position, position + length)), score });
    } catch (error) {
      throw new LaconicError("weights_invalid", `${place}: token ${i} is not UTF-8`, { file: place }, error);
    }
    position += length;
  }
  if (position !== bytes.length)
    throw invalid(place, `has ${bytes.length - position} bytes after its ${count} tokens: another model's tokenizer`);
  if (count < 3 + 256 || pieces[3]?.text !== "<0x00>")
    throw invalid(place, "is not a llama2.c tokenizer: tokens for single bytes are missing");
  return pieces;
}

/** Ways to join two tokens into a third, by decreasing score, then by the cut. */
function mergesOf(
  texts: readonly string[],
  ids: ReadonlyMap<string, number>,
  pieces: readonly Piece[],
): [string, string][] {
  return texts
    .map((text, id) => ({ text, id, score: pieces[id]?.score ?? 0 }))
    .slice(3 + 256)
    .flatMap(({ text, score }) => {
      const letters = Array.from(text);
      return letters.slice(1).flatMap((_, i) => {
        const [left, right] = [letters.slice(0, i + 1).join(""), letters.slice(i + 1).join("")];
        const [l, r] = [ids.get(left), ids.get(right)];
        return l === undefined || r === undefined ? [] : [{ score, l, r, pair: [left, right] as [string, string] }];
      });
    })
    .toSorted((a, b) => b.score - a.score || a.l - b.l || a.r - b.r)
    .map(({ pair }) => pair);
}
