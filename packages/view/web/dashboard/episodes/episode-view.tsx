import { formatNumber } from "@laconic/core/text";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { EpisodeDetail } from "../../../src/protocol.ts";
import { Button, Select } from "../../parts/elements.tsx";
import { SafeText } from "../../parts/text.tsx";
import { setQuery, useQuery } from "../navigation.ts";
import { gradeText, Problem, When } from "../parts.tsx";
import { Player } from "../player.tsx";
import { useLoadedAll, type Loaded } from "../server.ts";
import { Conversation } from "./conversation.tsx";
import { heatNames, heatScale, heatsOf, type HeatBy, type HeatScale } from "./heat.ts";

interface EpisodeViewProps {
  readonly run: string;
  readonly episode: string;
  /** Key of the second episode; empty for none. */
  readonly other: string;
  readonly children?: ComponentChildren;
}

export function EpisodeView({ run, episode, other, children }: EpisodeViewProps) {
  const keys = other === "" ? [episode] : [episode, other];
  const [loaded, loadedOther] = useLoadedAll<EpisodeDetail>(
    keys.map((key) => `/runs/${encodeURIComponent(run)}/episodes/${encodeURIComponent(key)}`),
  );
  return (
    <div class="episode">
      <Button kind="back" onClick={() => setQuery({ episode: "", with: "", list: "1" })}>
        ← All conversations
      </Button>
      {children}
      <When loaded={loaded as Loaded<EpisodeDetail>}>
        {(detail) => <Both key={detail.row.key} detail={detail} other={loadedOther?.value ?? null} />}
      </When>
      {loadedOther?.error && <Problem error={loadedOther.error} />}
    </div>
  );
}

function Both({ detail, other }: { detail: EpisodeDetail; other: EpisodeDetail | null }) {
  // Earlier episode on the left.
  const pair = (other === null ? [detail] : [detail, other]).toSorted((a, b) => a.row.step - b.row.step);
  const last = Math.max(...pair.map(({ turns }) => turns.length));
  const [shown, setShown] = useState<number | null>(null);
  const tokens = useMemo(
    () => pair.flatMap(({ turns }) => turns.flatMap((turn) => turn.tokens ?? [])),
    [detail, other],
  );
  const heats = heatsOf(tokens);
  const asked = (useQuery("heat") || "none") as HeatBy;
  const by = heats.includes(asked) ? asked : "none";
  const scale = useMemo(() => heatScale(tokens, by), [tokens, by]);
  const at = Math.min(shown ?? last, last);
  const widestTokens = Math.max(...pair.flatMap(({ turns }) => turns.map((turn) => turn.writtenTokens)), 1);
  return (
    <>
      <header>
        <h2 tabIndex={-1} data-opened>
          <SafeText text={detail.problem.question} max={600} />
        </h2>
        <p class="small">
          Correct answer:{" "}
          <b class="mono">
            <SafeText text={detail.problem.gold || "not known"} max={300} />
          </b>{" "}
          (hidden from the agents).
        </p>
        <p class="small">
          <span class="word private">Private</span>: only this agent sees it. <span class="word read">Read</span>:
          messages delivered to it. <span class="word wrote">Wrote</span>: what it wrote; every token, including the end
          token, is charged.
        </p>
      </header>
      <Player verb="Replay" {...{ at, last }} text={`Turn ${at} of ${last}`} waitMs={900} show={setShown}>
        {heats.length > 1 && (
          <Select
            label="Colour tokens by"
            value={by}
            options={heats.map((each) => [each, heatNames[each]] as const)}
            onChange={(heat) => setQuery({ heat })}
          />
        )}
        {detail.others.length > 0 && <Others detail={detail} chosen={other?.row.key ?? ""} />}
      </Player>
      {by !== "none" && <HeatLegend scale={scale} />}
      <div class={pair.length === 2 ? "fit side-by-side" : ""}>
        {pair.map((each) => (
          <Conversation
            key={each.row.key}
            detail={each}
            turnsShown={at}
            isOneOfTwo={pair.length === 2}
            {...{ scale, widestTokens }}
          />
        ))}
      </div>
    </>
  );
}

function Others({ detail, chosen }: { detail: EpisodeDetail; chosen: string }) {
  const rows = detail.others.toSorted((a, b) => a.step - b.step).slice(0, 200);
  const options = rows.map(({ key, step, kind, grade, tokens }) => {
    const graded = grade === null ? "" : `, ${gradeText(grade)}`;
    return [key, `step ${step}, ${kind}${graded}, ${tokens} tokens`] as const;
  });
  return (
    <Select
      label="Beside it"
      data-beside
      value={chosen}
      any="nothing"
      options={options}
      onChange={(key) => setQuery({ episode: detail.row.key, with: key })}
    />
  );
}

const strengths = [0, 1, 2, 3, 4, 5];
const legendTexts: Readonly<Record<HeatBy, string>> = {
  none: "",
  logProb: "nats: the stronger, the less likely the token was",
  advantage: "advantage: blue was made likelier, orange less likely",
  price: "of reward, for every token",
};

function HeatLegend({ scale: { by, end, isSigned } }: { scale: HeatScale }) {
  return (
    <p class="line legend">
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
      <span class="soft">{legendTexts[by]}</span>
    </p>
  );
}
