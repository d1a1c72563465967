import type {
  BenchTable,
  EpisodeDetail,
  EpisodePage,
  EpisodeQuery,
  MetricTable,
  RunDetail,
  RunSummary,
  SampleDetail,
  SamplePage,
  SampleQuery,
  Speech,
  TellingEpisode,
  ViewEvent,
} from "../protocol.ts";

/** What the server asks of run folders; null for a run, or an episode, that is not there. */
export interface ViewData {
  runs(): Promise<readonly RunSummary[]>;
  run(id: string): Promise<RunDetail | null>;
  /** @param names - all for null */
  columns(id: string, names: readonly string[] | null): Promise<MetricTable | null>;
  speech(id: string): Promise<Speech | null>;
  episodes(id: string, query: EpisodeQuery): Promise<EpisodePage | null>;
  /** The most telling conversations, the first to open first. */
  telling(id: string): Promise<readonly TellingEpisode[] | null>;
  /** Its tokens are numbers: who has the tokenizer knows their texts. */
  episode(id: string, key: string): Promise<EpisodeDetail | null>;
  /** A run's folder and its configuration, which name its tokenizer. */
  place(id: string): Promise<{ readonly directory: string; readonly config: unknown } | null>;
  benches(): Promise<readonly BenchTable[]>;
  /** Null for a bench that is not there. */
  samples(id: string, query: SampleQuery): Promise<SamplePage | null>;
  sample(id: string, key: string): Promise<SampleDetail | null>;
  /** Files are looked at again and again as long as anybody listens. @returns ends it */
  listen(listener: (event: ViewEvent) => void): () => void;
  /** Bytes that the index holds. */
  size(): Promise<number>;
  close(): Promise<void>;
}
