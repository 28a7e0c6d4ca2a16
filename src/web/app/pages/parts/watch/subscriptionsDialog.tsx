import { useState } from "preact/hooks";
import { may } from "../../../session/rights.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { WebhookSecret } from "./alertsDialog.tsx";
import { reloadWatch, type Subject, useSubscriptions } from "./data.ts";
import { SubscriptionForm } from "./subscriptionForm.tsx";
import { SubscriptionTable } from "./subscriptionTable.tsx";

interface SubscriptionsDialogProps {
  projectId: number;
  subject: Subject;
  /** The subject can be changed, and so its subscriptions. */
  mayEdit: boolean;
  onClose(): void;
}

/** To whom an insight or a dashboard is sent again and again, and a way to have it sent. */
export function SubscriptionsDialog({ projectId, subject, mayEdit, onClose }: SubscriptionsDialogProps) {
  const { data, error } = useSubscriptions(projectId, subject);
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const mayWrite = mayEdit && may("subscription:write");
  if (secret !== null) return <WebhookSecret secret={secret} onClose={() => setSecret(null)} />;
  if (isNew) {
    const saved = (made: string | null) => {
      setSecret(made);
      setNew(false);
    };
    return (
      <Dialog title="New subscription" onClose={() => setNew(false)}>
        <SubscriptionForm projectId={projectId} subject={subject} onSaved={saved} onCancel={() => setNew(false)} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Subscriptions" look="wide" onClose={onClose}>
      <div class="stack">
        {error !== undefined && <Problem error={error} onRetry={() => reloadWatch(projectId)} />}
        <SubscriptionTable projectId={projectId} subscriptions={data?.results} mayWrite={mayWrite} />
        {mayWrite && (
          <p class="form-end">
            <Button look="primary" icon="plus" onClick={() => setNew(true)}>
              New subscription
            </Button>
          </p>
        )}
      </div>
    </Dialog>
  );
}
