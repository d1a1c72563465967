/** Name of the embedding among the weights. */
export const embeddingName = "model.embed_tokens.weight";

/** A decoder of Llama's kind as its `config.json` describes it. */
export interface Shape {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headWidth: number;
  readonly epsilon: number;
  readonly theta: number;
  /** Frequencies stretched for long contexts (Llama 3.1), or null. */
  readonly scaling: Readonly<Record<string, number>> | null;
  readonly headName: string;
  /** What low-rank updates of projections are multiplied by (Hu et al. 2021), where the weights hold any. */
  readonly adapterScale: number;
}

type Json = Readonly<Record<string, unknown>>;

/** @returns null with a reason for a model that this file does not compute */
export function shapeOf(config: Json, adapterScale = 0): Shape | string {
  const number = (key: string, otherwise?: number): number => Number(config[key] ?? otherwise);
  const type = String(config["model_type"]);
  if (!["llama", "qwen2", "qwen3", "mistral"].includes(type)) return `its model type is ${type}`;
  const rope = (config["rope_parameters"] ?? config["rope_scaling"] ?? {}) as Json;
  const kind = (rope["rope_type"] ?? rope["type"] ?? "default") as string;
  if (kind !== "default" && kind !== "llama3") return `its positions are of the kind ${kind}`;
  const [width, heads] = [number("hidden_size"), number("num_attention_heads")];
  return {
    width,
    heads,
    adapterScale,
    layers: number("num_hidden_layers"),
    kvHeads: number("num_key_value_heads", heads),
    headWidth: number("head_dim", width / heads),
    epsilon: number("rms_norm_eps", 1e-6),
    theta: Number(rope["rope_theta"] ?? config["rope_theta"] ?? 10_000),
    scaling: kind === "llama3" ? (rope as Readonly<Record<string, number>>) : null,
    headName: config["tie_word_embeddings"] === true ? embeddingName : "lm_head.weight",
  };
}
