import { useMemo, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { useData } from "../../api/cache.ts";
import { ApiError } from "../../api/client.ts";
import type { SharedDashboard } from "../../api/schema.ts";
import { insightName } from "../../format/name.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, Problem } from "../../ui/notice.tsx";
import { BoardDates } from "../parts/board/boardDates.tsx";
import { type BoardFilters, readFragment, saved, writeFragment } from "../parts/board/filters.ts";
import { Grid } from "../parts/board/grid.tsx";
import { arrange } from "../parts/board/layout.ts";
import { nameOfText } from "../parts/board/markdown.ts";
import { Markdown } from "../parts/board/markdownView.tsx";
import { BoardSkeleton } from "../parts/board/skeleton.tsx";
import { TileFrame } from "../parts/board/tileFrame.tsx";
import { sizeOf } from "../parts/board/types.ts";
import { type Dates, loadShared, type Opened } from "./load.ts";
import { SharedInsight } from "./sharedInsight.tsx";

/** What a link opens: no login, no way inwards. */
export function SharedPage() {
  return <Shared isEmbedded={false} />;
}

/** The same for a frame of another site: nothing around it. */
export function EmbeddedPage() {
  return <Shared isEmbedded />;
}

function Shared({ isEmbedded }: { isEmbedded: boolean }) {
  const { params } = useRoute();
  const token = params.token ?? "";
  const known = useData(`shared/${token}`, () => loadShared(token));
  const [dates, setDates] = useState(() => datesOf(readFragment(window.location.hash)));
  const choose = (next: Dates) => {
    setDates(next);
    const { pathname, search } = window.location;
    history.replaceState(null, "", pathname + search + writeFragment(saved({ ...next })));
  };
  const opened = known.data;
  const name = opened === undefined ? undefined : nameOf(opened);
  useTitle(name ?? null);
  if (opened === undefined && known.error === undefined) {
    return (
      <main class={isEmbedded ? "shared embedded" : "shared"}>
        <BoardSkeleton />
      </main>
    );
  }
  if (opened === undefined) return <Closed error={known.error} />;
  return (
    <main class={isEmbedded ? "shared embedded" : "shared"}>
      <header class="shared-head">
        <div class="board-name">
          <h1 dir="auto">{name}</h1>
          <Description opened={opened} />
        </div>
        {opened.settings.viewer_dates && (
          <BoardDates value={{ ...dates }} fallback="Dates as shared" onChange={choose} />
        )}
      </header>
      {opened.type === "dashboard" ? (
        <SharedTiles token={token} board={opened.dashboard} dates={dates} />
      ) : (
        <div class="shared-insight">
          <SharedInsight token={token} insight={opened.insight} known={opened.insight} dates={dates} size="page" />
        </div>
      )}
      <footer class="shared-foot">Made with Weir</footer>
    </main>
  );
}

const datesOf = ({ date_from = null, date_to = null }: BoardFilters): Dates => ({ date_from, date_to });

function nameOf(opened: Opened): string {
  return opened.type === "dashboard" ? opened.dashboard.name || "Dashboard" : insightName(opened.insight);
}

function Description({ opened }: { opened: Opened }) {
  const text = opened.type === "dashboard" ? opened.dashboard.description : opened.insight.description;
  return text ? <p dir="auto">{text}</p> : null;
}

function SharedTiles({ token, board, dates }: { token: string; board: SharedDashboard; dates: Dates }) {
  const boxes = useMemo(
    () => arrange(board.tiles.map((tile) => ({ id: tile.id, layouts: tile.layouts, size: sizeOf(tile) }))),
    [board],
  );
  const tiles = new Map(board.tiles.map((tile) => [tile.id, tile]));
  if (boxes.length === 0) return <Empty title="This dashboard is empty" />;
  const render = (id: number) => {
    const tile = tiles.get(id);
    if (tile?.text) {
      return (
        <TileFrame look="text" name={nameOfText(tile.text.body)}>
          <Markdown source={tile.text.body} />
        </TileFrame>
      );
    }
    if (tile?.insight == null) return null;
    return <SharedInsight token={token} insight={tile.insight} dates={dates} size="tile" />;
  };
  return <Grid boxes={boxes} order={boxes.map(({ id }) => id)} render={render} />;
}

function Closed({ error }: { error: unknown }) {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main class="shared">
      {isGone ? (
        <div class="empty">
          <h1>This link shows nothing</h1>
          <p>It was switched off, replaced by a new one, or copied in part. Ask the person who sent it for another.</p>
        </div>
      ) : (
        <Problem error={error} onRetry={() => window.location.reload()} />
      )}
    </main>
  );
}
