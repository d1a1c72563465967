import { isRecord, type LaconicError, type UnknownRecord } from "@laconic/core";
import { unsupportedKey, type SpecialTokens } from "./special-tokens.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

export interface Framing {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Role in `tokenizer_config.json`, and the class's default text. */
type RoleToken = readonly [role: "bos" | "eos" | "cls" | "sep", preset: string];

interface ClassFraming {
  readonly before: readonly RoleToken[];
  readonly after: readonly RoleToken[];
}

/**
 * Tokenizer classes of transformers 5.18, without `Tokenizer` and `Fast`, that replace the post-processor of
 * `tokenizer.json`.
 */
const framings: readonly (readonly [classes: string, before: readonly RoleToken[], after: readonly RoleToken[]])[] = [
  [
    `Bert ConvBert Deberta DebertaV2 DistilBert DPRContextEncoder DPRQuestionEncoder DPRReader Lxmert MobileBert Splinter
    SqueezeBert`,
    [["cls", "[CLS]"]],
    [["sep", "[SEP]"]],
  ],
  ["Bart LED MPNet Mvp Roberta", [["cls", "<s>"]], [["sep", "</s>"]]],
  ["Camembert Nougat XLMRoberta", [["bos", "<s>"]], [["eos", "</s>"]]],
  ["CodeLlama", [["bos", "<s>"]], []],
  ["Funnel", [["cls", "<cls>"]], [["sep", "<sep>"]]],
  ["GPTNeoX", [], []],
  ["Lasr T5", [], [["eos", "</s>"]]],
  [
    "XLNet",
    [],
    [
      ["sep", "<sep>"],
      ["cls", "<cls>"],
    ],
  ],
];
const framingByClass: ReadonlyMap<string, ClassFraming> = new Map(
  framings.flatMap(([classes, before, after]) =>
    classes.split(/\s+/u).map((name) => [`${name}Tokenizer`, { before, after }] as const),
  ),
);

/** Classes with framing by language, pair or special settings, or without `tokenizer.json`. */
const rejectedClasses = new Set(
  `Albert Bartpho BertGeneration BertJapanese Bertweet BigBird BioGpt BlenderbotSmall ByT5 CLIP
  CTRL Canine Clvp Cpm CpmAnt Dia Esm Esmc FSMT FastSpeech2Conformer Flaubert GPTNeoXJapanese GPTSw3 Herbert
  LayoutLMv2 LayoutLMv3 LayoutXLM M2M100 MBart MBart50 MLuke Marian MarkupLM Mgpstr MyT5 Nllb PLBart Pegasus
  Perceiver Phobert Pop2Piano ProphetNet Rag RemBert RoCBert RoFormer SeamlessM4T Siglip Speech2Text SpeechT5
  Tapas Tipsv2 Udop Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC Whisper XGLM XLM`.split(/\s+/u),
);

/**
 * Frames a text as transformers 5.18 does: by the post-processor in `tokenizer.json`, unless `tokenizer_class`
 * replaces it. Both ignore `add_bos_token` and `add_eos_token`.
 * @throws LaconicError `model_unsupported` for a class with unsupported framing
 */
export function framingOf(files: TokenizerFiles, special: SpecialTokens): Framing {
  const { tokenizer, config } = files;
  const className = config["tokenizer_class"];
  const name = typeof className === "string" ? className.replace(/Fast$/u, "") : "";
  if (name.endsWith("Tokenizer") && rejectedClasses.has(name.slice(0, -"Tokenizer".length)))
    throw unsupportedKey(
      "tokenizer_class",
      `tokenizer_config.json, tokenizer_class: text prompts are not supported for ${name}`,
    );
  const classFraming = framingByClass.get(name);
  if (classFraming) return roleFraming(classFraming, name, files, special);
  const processor = tokenizer["post_processor"] as UnknownRecord | null | undefined;
  return processor ? framingBy(processor) : { before: [], after: [] };
}

function roleFraming(
  { before, after }: ClassFraming,
  className: string,
  { tokenizer, config }: TokenizerFiles,
  { ids, byRole }: SpecialTokens,
): Framing {
  const vocab = isRecord(tokenizer["model"]) ? tokenizer["model"]["vocab"] : undefined;
  const idOf = (text: string): number | undefined =>
    ids.get(text) ?? (isRecord(vocab) && Object.hasOwn(vocab, text) ? (vocab[text] as number) : undefined);
  const idsOf = (tokens: readonly RoleToken[]): number[] =>
    tokens.flatMap(([role, preset]) => {
      const key = `${role}_token`;
      if (config[key] === null) return [];
      const id = idOf(byRole[key] ?? preset);
      if (id !== undefined) return [id];
      const missing = `${className} adds ${byRole[key] ?? preset} to text prompts, but tokenizer.json lacks it`;
      throw unsupportedKey(key, `tokenizer_config.json, ${key}: ${missing}`);
    });
  return { before: idsOf(before), after: idsOf(after) };
}
const framedText = Symbol("text");
type Encoding = readonly (number | typeof framedText)[];

function framingBy(processor: UnknownRecord): Framing {
  const tokens = processed(processor, [[framedText]]).flat();
  const text = tokens.indexOf(framedText);
  const ids = (part: Encoding): number[] => part.filter((token) => token !== framedText);
  return { before: ids(tokens.slice(0, text)), after: ids(tokens.slice(text)) };
}

/** Encodings after a post-processor. A template makes one per item, which the next processor treats as sequences. */
function processed(processor: UnknownRecord, encodings: readonly Encoding[]): readonly Encoding[] {
  switch (processor["type"]) {
    case "Sequence":
      return (processor["processors"] as readonly UnknownRecord[]).reduce(
        (inner, item) => processed(item, inner),
        encodings,
      );
    case "TemplateProcessing":
      return templated(processor, encodings);
    case "BertProcessing":
    case "RobertaProcessing": {
      const [first, last] = [processor["cls"], processor["sep"]].map(
        (token) => (token as readonly [string, number])[1],
      );
      const between = processor["type"] === "RobertaProcessing" ? [last!] : [];
      return encodings.map((encoding, i) => [...(i === 0 ? [first!] : between), ...encoding, last!]);
    }
    case "ByteLevel":
      return encodings;
    default:
      throw unsupportedProcessor(`of type ${String(processor["type"])}`);
  }
}

interface TemplateItem {
  readonly SpecialToken?: { readonly id: string };
  readonly Sequence?: { readonly id: "A" | "B" };
}

function templated(processor: UnknownRecord, encodings: readonly Encoding[]): readonly Encoding[] {
  if (encodings.length > 2) throw unsupportedProcessor("for more than two sequences");
  const items = processor[encodings.length === 1 ? "single" : "pair"] as readonly TemplateItem[];
  const tokens = processor["special_tokens"] as Readonly<Record<string, { readonly ids: readonly number[] }>>;
  return items.map(({ SpecialToken: special, Sequence: sequence }) => {
    const encoding = special ? tokens[special.id]?.ids : encodings[sequence?.id === "B" ? 1 : 0];
    if (!encoding) throw unsupportedProcessor(`whose token ${special?.id ?? "B"} has no id`);
    return encoding;
  });
}

function unsupportedProcessor(what: string): LaconicError {
  return unsupportedKey("post_processor", `tokenizer.json: a post_processor ${what} is not supported`);
}
