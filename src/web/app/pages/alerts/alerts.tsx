import { useState } from "preact/hooks";
import { may } from "../../session/rights.ts";
import { useTitle } from "../../shell/title.ts";
import { Problem } from "../../ui/notice.tsx";
import { AlertsDialog } from "../parts/watch/alertsDialog.tsx";
import { AlertTable } from "../parts/watch/alertTable.tsx";
import { type Alert, reloadWatch, useAlerts, useSubscriptions } from "../parts/watch/data.ts";
import { SubscriptionTable } from "../parts/watch/subscriptionTable.tsx";

/** All alerts and subscriptions of a project. They are made at their insight or dashboard. */
export function AlertsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  useTitle("Alerts");
  const alerts = useAlerts(projectId);
  const subscriptions = useSubscriptions(projectId);
  const [opened, setOpened] = useState<Alert | null>(null);
  const error = alerts.error ?? subscriptions.error;
  return (
    <main class="page">
      <div class="page-head">
        <h1>Alerts and subscriptions</h1>
      </div>
      <div class="stack">
        {error !== undefined && <Problem error={error} onRetry={() => reloadWatch(projectId)} />}
        <p>An alert tells when a trend is not as it should be. It is made in the menu of a saved trend.</p>
        <AlertTable
          projectId={projectId}
          alerts={alerts.data?.results}
          hasInsights
          onEdit={may("alert:write") ? setOpened : undefined}
        />
        <h2>Subscriptions</h2>
        <p>A subscription sends an insight or a dashboard again and again. It is made in the menu of either.</p>
        <SubscriptionTable
          projectId={projectId}
          subscriptions={subscriptions.data?.results}
          mayWrite={may("subscription:write")}
        />
      </div>
      {opened !== null && (
        <AlertsDialog
          projectId={projectId}
          insightId={opened.insight.id}
          series={[]}
          mayEdit
          first={opened}
          onClose={() => setOpened(null)}
        />
      )}
    </main>
  );
}
