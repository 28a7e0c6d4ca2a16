import { ApiError } from "../../api/client.ts";
import { formatDateTime } from "../../format/date.ts";
import { useZone } from "../../session/environment.ts";
import { isAdmin } from "../../session/rights.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { messageOf, Skeleton } from "../../ui/notice.tsx";
import { DeadLetters } from "./deadLetters.tsx";
import { Causes, Equation, Lanes } from "./equation.tsx";
import { usePast, useStatus } from "./figures.ts";
import { History } from "./history.tsx";
import { InstallationFacts } from "./installation.tsx";
import { Messages } from "./messages.tsx";
import { RANGES } from "./steps.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import { Warnings } from "./warnings.tsx";

/** Whether events come through, and where they are. */
export function HealthPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  const { data: status, error } = useStatus(projectId);
  const { data: recent } = usePast(projectId, RANGES[0]!);
  const zone = useZone(projectId);
  return (
    <main class="page health">
      <div class="page-head">
        <h1>Health</h1>
      </div>
      <Banner verdict={verdictOf({ status, failure: failureOf(error), recent })} />
      <section class="health-part" aria-labelledby="health-now">
        <header>
          <h2 id="health-now">Where the events are</h2>
          {status !== undefined && (
            <p>
              {error === undefined
                ? "Now, and exact."
                : `As of ${formatDateTime(new Date(status.readAtMs), zone)}; newer figures cannot be read.`}
            </p>
          )}
        </header>
        {status === undefined && error === undefined && <Skeleton heightPx={180} />}
        {status === undefined && error !== undefined && <p class="quiet">There are no figures to show.</p>}
        {status !== undefined && (
          <div class={error === undefined ? "health-stack" : "health-stack health-old"}>
            <Equation label="Events of this project" figures={status} />
            <div class="health-pair">
              <Lanes label="Lanes" lanes={status.lanes} />
              <Causes causes={status.dropped_by_cause} />
            </div>
          </div>
        )}
      </section>
      <History projectId={projectId} zone={zone} />
      <Warnings projectId={projectId} />
      <DeadLetters projectId={projectId} />
      <Messages projectId={projectId} />
      {isAdmin() && <InstallationFacts />}
    </main>
  );
}

function failureOf(error: unknown): { status: number; detail: string } | undefined {
  if (error === undefined) return undefined;
  return { status: error instanceof ApiError ? error.status : 0, detail: messageOf(error) };
}

const ICONS: Readonly<Record<Verdict["level"], IconName>> = {
  good: "check",
  late: "warning",
  bad: "warning",
  quiet: "calendar",
  unknown: "refresh",
};

function Banner({ verdict: { level, title, detail } }: { verdict: Verdict }) {
  return (
    <div class={`verdict ${level}`} role="status">
      <Icon name={ICONS[level]} size={20} />
      <div>
        <strong>{title}</strong>
        <p>{detail}</p>
      </div>
    </div>
  );
}
