import { call } from "../../../api/client.ts";
import { formatDateTime } from "../../../format/date.ts";
import { useZone } from "../../../session/environment.ts";
import { isEditor } from "../../../session/rights.ts";
import { Button } from "../../../ui/button.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import { paramsOf, reloadWatch, type Subscription } from "./data.ts";
import { hostOf } from "./words.ts";

interface SubscriptionTableProps {
  projectId: number;
  subscriptions: readonly Subscription[] | undefined;
  mayWrite: boolean;
}

/** Subscriptions, with what they send to whom and when, and a way to end each. */
export function SubscriptionTable({ projectId, subscriptions, mayWrite }: SubscriptionTableProps) {
  const zone = useZone(projectId);
  const end = ({ id, title }: Subscription) =>
    void told(async () => {
      const params = { ...paramsOf(projectId), id: String(id) };
      await call("PATCH /api/environments/{project_id}/subscriptions/{id}/", { params, body: { deleted: true } });
      toast(`${title || "The subscription"} has ended`);
      reloadWatch(projectId);
    });
  const columns: Column<Subscription>[] = [
    { key: "title", label: "Title", cell: ({ title }) => title || "Subscription", sortBy: ({ title }) => title },
    { key: "when", label: "When", cell: ({ summary }) => summary.replace(/^sent /, "") },
    {
      key: "next",
      label: "Next",
      cell: ({ next_delivery_date: at }) => (at === null ? "ended" : formatDateTime(at, zone)),
      sortBy: ({ next_delivery_date: at }) => at,
    },
    {
      key: "target",
      label: "To",
      cell: ({ target_type, target_value }) => (target_type === "email" ? target_value : hostOf(target_value)),
    },
  ];
  if (mayWrite && subscriptions?.some(mayChange)) {
    columns.push({
      key: "end",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (item) =>
        mayChange(item) && (
          <Button look="quiet" onClick={() => end(item)}>
            End<span class="unseen"> {item.title}</span>
          </Button>
        ),
    });
  }
  return (
    <Table
      label="Subscriptions"
      columns={columns}
      rows={subscriptions}
      keyOf={({ id }) => id}
      nothing="There is no subscription yet"
    />
  );
}

const mayChange = ({ user_access_level: level }: Subscription): boolean => isEditor(level);
