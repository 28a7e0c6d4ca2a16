import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatNumber } from "../../format/number.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, messageOf, Problem } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { EventTable } from "./eventTable.tsx";
import { KEPT } from "./feed.ts";
import type { ListedEvent } from "./listed.ts";
import { ListSkeleton } from "./listSkeleton.tsx";
import { momentOf } from "./moments.ts";
import { addressOf, isNarrowed, type Shown } from "./shown.ts";
import { type Cut, type Live, useFeed } from "./useFeed.ts";
import { useHeld } from "./useHeld.ts";

interface LiveListProps {
  projectId: number;
  zone: string;
  shown: Shown;
  /** A dialog stands above the list. */
  isCovered: boolean;
  onOpen(event: ListedEvent): void;
  onRemoveColumn(key: string): void;
}

/** Events as they come, the last first. While somebody reads it stands still. */
export function LiveList({ projectId, zone, shown, isCovered, onOpen, onRemoveColumn }: LiveListProps) {
  const scroller = useRef<HTMLElement>(null);
  const [isStopped, setStopped] = useState(false);
  const { held, handlers, letGo } = useHeld();
  const why = isStopped ? "stopped" : isCovered ? "covered" : held;
  const live = useFeed(projectId, shown, why !== null);
  const { feed, line } = live;
  const isEmpty = feed.rows.length === 0;
  // A list that is gone says no more that it is left.
  useEffect(() => {
    if (isEmpty) letGo();
  }, [isEmpty]);
  const goOn = () => {
    setStopped(false);
    letGo();
    scroller.current?.scrollTo({ top: 0 });
  };
  const past = (from: string) => addressOf(hrefOf(projectId, "events"), { ...shown, past: { date_from: from } });
  if (line.is === "refused") return <Problem error={line.error} onRetry={live.again} />;
  return (
    <>
      <div class="records-filters live-bar">
        <Button onClick={isStopped ? goOn : () => setStopped(true)}>{isStopped ? "Go on" : "Pause"}</Button>
        <State live={live} why={why} />
        <span class="live-count">{formatCount(feed.cameCount, "event")} since you opened this</span>
        {feed.waitingCount > 0 && <Waiting count={feed.waitingCount} why={why} onShow={goOn} />}
      </div>
      {live.cut !== null && (
        <CutNotice
          cut={live.cut}
          zone={zone}
          href={past(new Date(live.cut.fromMs).toISOString())}
          onClose={live.forgetCut}
        />
      )}
      {line.is === "loading" && <ListSkeleton />}
      {line.is === "lost" && isEmpty && <Problem error={line.error} onRetry={live.again} />}
      {line.is === "open" && isEmpty && <Nothing projectId={projectId} shown={shown} />}
      {!isEmpty && (
        <EventTable
          {...{ projectId, zone, scroller, onOpen, onRemoveColumn }}
          hold={handlers}
          rows={feed.rows}
          keyOf={(row) => (row as ListedEvent & { n: number }).n}
          isAsTheyCame
          columns={shown.columns}
        >
          <p class="event-end">
            {feed.rows.length >= KEPT && `The last ${formatNumber(KEPT)} are here. `}
            <a href={past("-24h")}>Events of the last 24 hours</a>
          </p>
        </EventTable>
      )}
    </>
  );
}

const REASONS = {
  stopped: "Paused",
  covered: "Paused while an event is open",
  scrolled: "Paused while you scroll",
  pointed: "Paused while you point at the list",
  focused: "Paused while you are in the list",
} as const;

function State({ live: { line }, why }: { live: Live; why: keyof typeof REASONS | null }) {
  const lost = line.is === "lost";
  return (
    <span role="status" class={lost ? "live-state lost" : "live-state"}>
      {line.is === "loading" && <Spinner />}
      {lost && <Icon name="warning" />}
      {line.is === "open" && <span class={why === null ? "live-dot on" : "live-dot"} />}
      {line.is === "loading" && "Loading the newest events"}
      {lost && `${messageOf(line.error)} Trying again …`}
      {line.is === "open" && (why === null ? "Live" : REASONS[why])}
    </span>
  );
}

interface WaitingProps {
  count: number;
  why: keyof typeof REASONS | null;
  onShow(): void;
}

/** What waits above. Where it is shown as soon as the pointer or the focus leaves, a button would go away under them. */
function Waiting({ count, why, onShow }: WaitingProps) {
  const text = `${formatNumber(count)} new`;
  if (why !== "scrolled" && why !== "stopped") return <span class="live-waiting">{text} above</span>;
  return (
    <Button look="primary" icon="chevronUp" onClick={onShow}>
      Show {text}
    </Button>
  );
}

interface CutNoticeProps {
  cut: Cut;
  zone: string;
  href: string;
  onClose(): void;
}

function CutNotice({ cut: { missed, fromMs }, zone, href, onClose }: CutNoticeProps) {
  const since = new Date(fromMs).toISOString();
  return (
    <div class="verdict late" role="status">
      <Icon name="warning" />
      <p>
        This page was cut off <time dateTime={since}>at {momentOf(since, zone)}</time>, and{" "}
        {formatCount(missed, "event")} of the project came before it was back. The list begins anew with the newest.{" "}
        <a href={href}>Events since then</a>
      </p>
      <IconButton label="Close this notice" icon="close" onClick={onClose} />
    </div>
  );
}

function Nothing({ projectId, shown }: { projectId: number; shown: Shown }) {
  if (isNarrowed(shown)) return <Empty title="No such event yet">It is shown here when it comes.</Empty>;
  return (
    <Empty title="Waiting for the first event">
      <p>It is shown here when it comes.</p>
      <a class="button" href={hrefOf(projectId, "start")}>
        Send an event
      </a>
    </Empty>
  );
}
