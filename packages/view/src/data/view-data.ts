import type {
  BenchTable,
  EpisodeDetail,
  EpisodePage,
  EpisodeQuery,
  RunDetail,
  RunSummary,
  Speech,
  ViewEvent,
} from "../protocol.ts";

/** An episode whose tokens are numbers: what they say is known to who has the tokenizer. */
export interface EpisodeAnswer extends EpisodeDetail {
  /** Of each turn; null where no local policy wrote it. */
  readonly tokenIds: readonly (readonly number[] | null)[];
  /** The run's configuration. */
  readonly config: unknown;
  /** Of the run. */
  readonly directory: string;
}

/** What the server asks of run folders; null for a run, or an episode, that is not there. */
export interface ViewData {
  runs(): Promise<readonly RunSummary[]>;
  run(id: string): Promise<RunDetail | null>;
  /** @param names - all for null. @returns the body that `ColumnsHeader` describes */
  columns(id: string, names: readonly string[] | null, from: number): Promise<Uint8Array | null>;
  speech(id: string): Promise<Speech | null>;
  episodes(id: string, query: EpisodeQuery): Promise<EpisodePage | null>;
  episode(id: string, key: string): Promise<EpisodeAnswer | null>;
  benches(): Promise<readonly BenchTable[]>;
  /** Files are looked at again and again as long as anybody listens. @returns ends it */
  listen(listener: (event: ViewEvent) => void): () => void;
  /** Bytes that the index holds. */
  size(): Promise<number>;
  close(): Promise<void>;
}
