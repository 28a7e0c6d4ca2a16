import { useState } from "preact/hooks";
import { may } from "../../../session/rights.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { ShownOnce } from "../../../ui/shownOnce.tsx";
import { AlertForm } from "./alertForm.tsx";
import { AlertTable } from "./alertTable.tsx";
import { type Alert, reloadWatch, useAlerts } from "./data.ts";

interface AlertsDialogProps {
  projectId: number;
  insightId: number;
  series: readonly string[];
  /** The insight can be changed, and so its alerts. */
  mayEdit: boolean;
  /** The one that is opened at first, in place of the list. */
  first?: Alert;
  onClose(): void;
}

/** The alerts of an insight, and a way to make and change them. */
export function AlertsDialog({ projectId, insightId, series, mayEdit, first, onClose }: AlertsDialogProps) {
  const { data, error } = useAlerts(projectId, insightId);
  const [edited, setEdited] = useState<Alert | "new" | null>(first ?? null);
  const [secret, setSecret] = useState<string | null>(null);
  const mayWrite = mayEdit && may("alert:write");
  if (secret !== null)
    return <WebhookSecret secret={secret} onClose={first === undefined ? () => setSecret(null) : onClose} />;
  if (edited !== null) {
    const close = first === undefined ? () => setEdited(null) : onClose;
    const saved = (made: string | null) => {
      setSecret(made);
      if (made === null) close();
      else setEdited(null);
    };
    return (
      <Dialog title={edited === "new" ? "New alert" : "Alert"} onClose={close}>
        <AlertForm
          projectId={projectId}
          insightId={insightId}
          series={series}
          alert={edited === "new" ? null : edited}
          onSaved={saved}
          onCancel={close}
        />
      </Dialog>
    );
  }
  return (
    <Dialog title="Alerts" look="wide" onClose={onClose}>
      <div class="stack">
        {error !== undefined && <Problem error={error} onRetry={() => reloadWatch(projectId)} />}
        <AlertTable projectId={projectId} alerts={data?.results} onEdit={mayWrite ? setEdited : undefined} />
        {mayWrite && (
          <p class="form-end">
            <Button look="primary" icon="plus" onClick={() => setEdited("new")}>
              New alert
            </Button>
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** What a receiver checks messages by: the only time that anyone sees it. */
export function WebhookSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <ShownOnce title="The webhook's secret" label="Secret" value={secret} onClose={onClose}>
      Messages are signed with it, as Standard Webhooks has it. It is not shown again; another address makes another.
    </ShownOnce>
  );
}
