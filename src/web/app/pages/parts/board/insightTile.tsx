import { useRef, useState } from "preact/hooks";
import type { QueryNode } from "../../../api/node.ts";
import { runQuery } from "../../../api/query.ts";
import type { Insight } from "../../../api/schema.ts";
import { type Cover, CoverContext } from "../../../charts/parts/cover.ts";
import { insightName } from "../../../format/name.ts";
import type { Drill, Size } from "../../../kinds/kind.ts";
import { kindOf } from "../../../kinds/mod.ts";
import { readNode } from "../../../kinds/readNode.ts";
import { InsightView } from "../../../kinds/view/insightView.tsx";
import { isDrawn } from "../../../kinds/view/sql/chartWish.ts";
import { sourceOf } from "../../../kinds/wrapping.ts";
import { dateRangeText } from "../../../question/dateText.ts";
import type { DateRange } from "../../../question/types.ts";
import { useMayMake } from "../../../session/environment.ts";
import { mayEdit } from "../../../session/rights.ts";
import { Ago } from "../../../ui/ago.tsx";
import { later } from "../../../ui/later.tsx";
import type { MenuItem } from "../../../ui/menu.tsx";
import { useNotes } from "../notes/cover.tsx";
import { type TileAnswer, useAnswer } from "./answer.ts";
import { AnswerTable } from "./answerTable.tsx";
import { isActive } from "./filters.ts";
import type { BoardModel } from "./model.ts";
import { useNear } from "./near.ts";
import { downloadCsv, duplicateTile, removeTile } from "./tileActions.ts";
import type { TileWish } from "./tileDialogs.tsx";
import { type Grips, TileFrame } from "./tileFrame.tsx";
import { answerIn, type Tile } from "./types.ts";

const TileDialogs = later(() => import("./tileDialogs.tsx").then((file) => file.TileDialogs));

interface InsightTileProps {
  model: BoardModel;
  tile: Tile;
  insight: Insight;
  grips?: Grips;
  onDrill(drill: Drill): void;
}

/** An insight on a board. It asks for its own answer when it comes into sight, and fails alone. */
export function InsightTile({ model, tile, insight, grips, onDrill }: InsightTileProps) {
  const { projectId } = model;
  const mayMake = useMayMake(projectId);
  const ref = useRef<HTMLDivElement>(null);
  const isNear = useNear(ref);
  const [again, setAgain] = useState(0);
  const [wish, setWish] = useState<TileWish | null>(null);
  const node = readNode(insight.query);
  const title = insightName(insight);
  const answered = useAnswer({
    node: node ?? NO_QUESTION,
    known: answerIn(insight),
    isNear: isNear && node !== null,
    round: model.round + again,
    ask: async (asked, o) => ({ node: asked, answer: await runQuery(projectId, asked, o) }),
  });
  const notes = useNotes({
    of: "project",
    projectId,
    insight: { id: insight.id, mayEdit: mayEdit("insight", insight), dashboards: NO_BOARDS },
    board: { id: model.id, mayEdit: model.mayEdit },
  });
  const state = { ...answered, isLoading: answered.isLoading || model.isLoading };
  const refresh = () => setAgain(again + 1);
  const href = hrefOf(model, insight);
  const menu: MenuItem[] = [
    { label: "Open", icon: "insights", href },
    ...(mayEdit("insight", insight)
      ? ([
          { label: "Edit", icon: "pencil", href: `/project/${projectId}/insights/${insight.short_id}/edit` },
          { label: "Rename", icon: "pencil", onSelect: () => setWish("rename") },
        ] satisfies MenuItem[])
      : []),
    ...(model.mayEdit
      ? ([
          ...(mayMake("insight")
            ? [{ label: "Duplicate", icon: "copy", onSelect: () => void duplicateTile(model, tile) } as const]
            : []),
          { label: "Move to another dashboard", icon: "dashboard", onSelect: () => setWish("move") },
        ] satisfies MenuItem[])
      : []),
    { label: "Refresh", icon: "refresh", onSelect: refresh },
    { label: "Download CSV", icon: "download", onSelect: () => void downloadCsv(model, insight) },
    ...(model.mayEdit
      ? [{ label: "Remove", icon: "trash", isDangerous: true, onSelect: () => void removeTile(model, tile) } as const]
      : []),
  ];
  return (
    <div ref={ref} class="tile-place">
      <TileFrame
        look="insight"
        name={title}
        title={
          <h2 class="tile-title">
            <a href={href} dir="auto" title={insight.description ? `${title}\n${insight.description}` : title}>
              {title}
            </a>
          </h2>
        }
        aside={
          <>
            <Age state={state} /> <TileDates node={node} />
          </>
        }
        menu={menu}
        grips={grips}
      >
        {node === null && <p class="tile-note">This insight has no question yet.</p>}
        {node !== null && isNear && <TileChart state={state} notes={notes} onDrill={onDrill} onRetry={refresh} />}
      </TileFrame>
      {wish !== null && <TileDialogs wish={wish} model={model} tile={tile} onClose={() => setWish(null)} />}
    </div>
  );
}

/** On a board its own alone counts. */
const NO_BOARDS: readonly number[] = [];
const NO_QUESTION: QueryNode = { kind: "" };

interface TileChartProps {
  state: TileAnswer;
  size?: Size;
  /** What is laid over a chart of time. */
  notes: Cover | null;
  onDrill?(drill: Drill): void;
  onRetry?(): void;
}

/** The chart of an answer, or its rows where its kind has no chart. */
export function TileChart({ state, size = "tile", notes, onDrill, onRetry }: TileChartProps) {
  const { node, answer, error, isLoading } = state;
  const hasRows = kindOf(node) === undefined && Array.isArray(answer?.columns);
  if (hasRows && error === undefined && !isDrawn(node)) {
    return <AnswerTable columns={answer!.columns as unknown[]} results={answer!.results} />;
  }
  const shared = { node, answer, error, isLoading, size };
  return (
    <CoverContext.Provider value={notes}>
      <InsightView {...shared} onDrill={onDrill} onRetry={onRetry} />
    </CoverContext.Provider>
  );
}

/** The dates of a question, where it has some. */
export function TileDates({ node }: { node: QueryNode | null }) {
  const range =
    node === null || kindOf(node) === undefined ? undefined : (sourceOf(node).dateRange as DateRange | undefined);
  if (!range?.date_from && !range?.date_to) return null;
  return <span class="tile-dates">{dateRangeText(range)}</span>;
}

const OLD_MS = 3_600_000;

/** How old an answer is. It is always in sight where that matters: it is old, or a newer one is on the way. */
export function Age({ state: { answer, isLoading } }: { state: TileAnswer }) {
  const time = answer?.last_refresh ?? null;
  if (time === null) return null;
  const isOld = Date.now() - Date.parse(time) > OLD_MS;
  return (
    <span class={isOld || isLoading ? undefined : "quiet"}>
      <Ago at={time} />
      {isLoading && ", updating"}
    </span>
  );
}

/** The insight's page; under the board's filters, where there are any. */
function hrefOf({ projectId, filters }: BoardModel, { short_id, query }: Insight): string {
  const fragment = isActive(filters) ? `#q=${encodeURIComponent(JSON.stringify(query))}` : "";
  return `/project/${projectId}/insights/${short_id}${fragment}`;
}
