import type { EpisodeDetail, EpisodeSummary, TurnDetail } from "../../../src/protocol.ts";
import { counted, formatNumber } from "@laconic/core/text";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { Grade } from "../episodes/grade.tsx";
import { When } from "../parts.tsx";
import { useLoaded } from "../server.ts";

interface ProblemCardProps {
  readonly run: string;
  readonly row: EpisodeSummary;
}

/** How a problem went at one step: what each agent knew and wrote, in few lines. */
export function ProblemCard({ run, row }: ProblemCardProps) {
  const loaded = useLoaded<EpisodeDetail>(`/runs/${encodeURIComponent(run)}/episodes/${encodeURIComponent(row.key)}`);
  return (
    <article class="problem panel" aria-label={`Step ${row.step}`}>
      <div class="line">
        <h3>Step {formatNumber(row.step)}</h3>
        <Grade grade={row.grade} />
        <span class="number tokens-of">{counted(row.tokens, "token")}</span>
      </div>
      <When loaded={loaded}>
        {(detail) => (
          <>
            <ol>
              {detail.turns.map((turn) => (
                <Turn key={turn.turn} turn={turn} />
              ))}
            </ol>
            <p class="small">
              Answer: {detail.answer === null ? <i class="soft">none</i> : <SafeText text={detail.answer} max={200} />}
            </p>
          </>
        )}
      </When>
    </article>
  );
}

function Turn({ turn }: { readonly turn: TurnDetail }) {
  return (
    <li>
      <div class="line small">
        <b>
          <SafeLine text={turn.agent} max={40} />
        </b>
        {turn.view !== null && (
          <span class="knows">
            knows <SafeLine text={turn.view} max={90} />
          </span>
        )}
        <span class="soft number tokens-of">{formatNumber(turn.writtenTokens)}</span>
      </div>
      {turn.silent ? <i class="soft">silent</i> : <SafeText text={turn.text} max={240} />}
    </li>
  );
}
