import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { EpisodeDetail, EpisodeSummary } from "../../../src/protocol.ts";
import { formatNumber } from "@laconic/core/text";
import { SafeText } from "../../parts/text.tsx";
import { setQuery, useRoute } from "../navigation.ts";
import { Problem, When } from "../parts.tsx";
import { Player } from "../player.tsx";
import { one } from "../route.ts";
import { useLoadedAll } from "../server.ts";
import { Conversation } from "./conversation.tsx";
import { heatScale, heatsOf, type HeatBy } from "./heat.ts";

const heatNames: Readonly<Record<HeatBy, string>> = {
  none: "nothing",
  logProb: "log-prob",
  advantage: "advantage",
  price: "price",
};

interface EpisodeViewProps {
  readonly run: string;
  readonly episode: string;
  /** Key of what stands beside it; empty for nothing. */
  readonly other: string;
  /** What stands above it. */
  readonly children?: ComponentChildren;
}

/** One conversation, and beside it, if one wants, the same problem at another time. */
export function EpisodeView({ run, episode, other, children }: EpisodeViewProps) {
  const pathOf = (key: string): string => `/runs/${encodeURIComponent(run)}/episodes/${encodeURIComponent(key)}`;
  const [loaded, loadedOther] = useLoadedAll<EpisodeDetail>([pathOf(episode), other === "" ? null : pathOf(other)]);
  return (
    <div class="episode">
      <button type="button" class="button back" onClick={() => setQuery({ episode: "", with: "", list: "1" })}>
        ← All conversations
      </button>
      {children}
      {loaded !== undefined && (
        <When loaded={loaded}>
          {(detail) => (
            <Both key={detail.row.key} detail={detail} other={other === "" ? null : (loadedOther?.value ?? null)} />
          )}
        </When>
      )}
      {other !== "" && loadedOther?.error != null && <Problem error={loadedOther.error} />}
    </div>
  );
}

function Both({ detail, other }: { readonly detail: EpisodeDetail; readonly other: EpisodeDetail | null }) {
  const route = useRoute();
  const turns = Math.max(detail.turns.length, other?.turns.length ?? 0);
  const [shown, setShown] = useState<number | null>(null);
  const tokens = useMemo(
    () => [...detail.turns, ...(other?.turns ?? [])].flatMap((turn) => turn.tokens ?? []),
    [detail, other],
  );
  const heats = heatsOf(tokens);
  const asked = (one(route, "heat") || "none") as HeatBy;
  const by = heats.includes(asked) ? asked : "none";
  const scale = useMemo(() => heatScale(tokens, by), [tokens, by]);
  const at = Math.min(shown ?? turns, turns);
  // The earlier one is on the left.
  const pair = other === null ? [detail] : [detail, other].toSorted((a, b) => a.row.step - b.row.step);
  const widest = Math.max(...pair.flatMap(({ turns: own }) => own.map(({ writtenTokens }) => writtenTokens)), 1);
  return (
    <>
      <header>
        <h2 tabIndex={-1} data-opened>
          <SafeText text={detail.problem.question} max={600} />
        </h2>
        <p class="small">
          Correct answer:{" "}
          <b class="mono">
            {detail.problem.gold === "" ? "not known" : <SafeText text={detail.problem.gold} max={300} />}
          </b>{" "}
          (hidden from the agents).
        </p>
        <p class="legend-words small">
          <span class="word private">Private</span>: only this agent sees it. <span class="word read">Read</span>:
          messages delivered to it. <span class="word wrote">Wrote</span>: what it wrote; every token, including the end
          token, is charged.
        </p>
      </header>
      <Player verb="Replay" at={at} last={turns} words={`Turn ${at} of ${turns}`} waitMs={900} show={setShown}>
        {heats.length > 1 && (
          <label>
            <span>Colour tokens by</span>
            <select class="select" value={by} onChange={(event) => setQuery({ heat: event.currentTarget.value })}>
              {heats.map((each) => (
                <option key={each} value={each}>
                  {heatNames[each]}
                </option>
              ))}
            </select>
          </label>
        )}
        {detail.others.length > 0 && <Others detail={detail} chosen={other?.row.key ?? ""} />}
      </Player>
      {by !== "none" && <HeatLegend by={by} end={scale.end} isSigned={scale.isSigned} />}
      <div class={pair.length === 2 ? "side-by-side" : ""}>
        {pair.map((each) => (
          <Conversation
            key={each.row.key}
            detail={each}
            turnsShown={at}
            by={by}
            scale={scale}
            isOneOfTwo={pair.length === 2}
            widestTokens={widest}
          />
        ))}
      </div>
    </>
  );
}

/** The same problem in other steps. */
function Others({ detail, chosen }: { readonly detail: EpisodeDetail; readonly chosen: string }) {
  const name = (row: EpisodeSummary): string => {
    const grade =
      row.grade === null
        ? ""
        : row.grade === 1
          ? ", right"
          : row.grade === 0
            ? ", wrong"
            : `, grade ${formatNumber(row.grade)}`;
    return `step ${row.step}, ${row.kind}${grade}, ${row.tokens} tokens`;
  };
  return (
    <label>
      <span>Beside it</span>
      <select
        class="select"
        data-beside
        value={chosen}
        onChange={(event) => setQuery({ episode: detail.row.key, with: event.currentTarget.value })}
      >
        <option value="">nothing</option>
        {detail.others
          .toSorted((a, b) => a.step - b.step)
          .slice(0, 200)
          .map((row) => (
            <option key={row.key} value={row.key}>
              {name(row)}
            </option>
          ))}
      </select>
    </label>
  );
}

interface HeatLegendProps {
  readonly by: HeatBy;
  readonly end: number;
  readonly isSigned: boolean;
}

function HeatLegend({ by, end, isSigned }: HeatLegendProps) {
  const strengths = [0, 1, 2, 3, 4, 5];
  return (
    <p class="heat-legend small">
      {isSigned && (
        <>
          <span class="number">{formatNumber(-end)}</span>
          {strengths.toReversed().map((strength) => (
            <i key={strength} class={`heat${strength} less`} />
          ))}
        </>
      )}
      <span class="number">0</span>
      {strengths.map((strength) => (
        <i key={strength} class={`heat${strength} ${isSigned ? "more" : ""}`} />
      ))}
      <span class="number">{formatNumber(by === "logProb" ? -end : end)}</span>
      <span class="soft">
        {by === "logProb"
          ? "nats: the stronger, the less likely the token was"
          : by === "advantage"
            ? "advantage: blue was made likelier, orange less likely"
            : "of reward, for every token"}
      </span>
    </p>
  );
}
