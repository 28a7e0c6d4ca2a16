import { useRef, useState } from "preact/hooks";
import type { Insight, SharedTileInsight } from "../../api/schema.ts";
import { insightName } from "../../format/name.ts";
import type { Size } from "../../kinds/kind.ts";
import { readNode } from "../../kinds/readNode.ts";
import { useAnswer } from "../parts/board/answer.ts";
import { Age, TileChart, TileDates } from "../parts/board/insightTile.tsx";
import { useNear } from "../parts/board/near.ts";
import { TileFrame } from "../parts/board/tileFrame.tsx";
import { answerIn } from "../parts/board/types.ts";
import { useNotes } from "../parts/notes/cover.tsx";
import { askShared, type Dates } from "./load.ts";

interface SharedInsightProps {
  token: string;
  insight: SharedTileInsight | Insight;
  /** With its answer, where that came with the link. */
  known?: Insight;
  dates: Dates;
  size: Size;
}

/** An insight that a link shows. It asks for its own answer when it comes into sight. */
export function SharedInsight({ token, insight, known, dates, size }: SharedInsightProps) {
  const ref = useRef<HTMLDivElement>(null);
  const isNear = useNear(ref);
  const [round, setRound] = useState(0);
  const title = insightName(insight);
  const node = readNode(insight.query) ?? { kind: "" };
  // The dates are part of what is asked, though the server puts them in.
  const isDated = (dates.date_from ?? dates.date_to) !== null;
  const asked = isDated ? { ...node, viewerDates: dates } : node;
  const state = useAnswer({
    node: asked,
    known: known === undefined || isDated ? undefined : answerIn(known),
    isNear: isNear && insight.query !== null,
    round,
    ask: (_, { signal }) => askShared(token, insight.id, dates, signal),
  });
  const notes = useNotes({ of: "link", token, insightId: insight.id });
  const chart = isNear && <TileChart state={state} size={size} notes={notes} onRetry={() => setRound(round + 1)} />;
  return (
    <div ref={ref} class="tile-place">
      {size === "page" ? (
        chart
      ) : (
        <TileFrame
          look="insight"
          name={title}
          title={
            <h2 class="tile-title" dir="auto" title={title}>
              {title}
            </h2>
          }
          aside={
            <>
              <Age state={state} /> <TileDates node={state.node} />
            </>
          }
        >
          {chart}
        </TileFrame>
      )}
    </div>
  );
}
