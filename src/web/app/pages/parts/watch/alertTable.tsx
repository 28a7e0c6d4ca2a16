import { call } from "../../../api/client.ts";
import { formatDateTime } from "../../../format/date.ts";
import { formatNumber } from "../../../format/number.ts";
import { useZone } from "../../../session/environment.ts";
import { isEditor } from "../../../session/rights.ts";
import { Ago } from "../../../ui/ago.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import { type Alert, paramsOf, reloadWatch } from "./data.ts";
import { conditionText, targetText } from "./words.ts";

interface AlertTableProps {
  projectId: number;
  alerts: readonly Alert[] | undefined;
  /** Whether each says which insight it is of. */
  hasInsights?: boolean;
  /** Absent: the user may change none of them. */
  onEdit?(alert: Alert): void;
}

/** Alerts with their state, and what can be done with each. */
export function AlertTable({ projectId, alerts, hasInsights = false, onEdit }: AlertTableProps) {
  const zone = useZone(projectId);
  const columns: Column<Alert>[] = [
    { key: "name", label: "Name", cell: ({ name }) => name || "Alert", sortBy: ({ name }) => name },
    {
      key: "state",
      label: "State",
      cell: (alert) => <State alert={alert} zone={zone} />,
      sortBy: ({ state }) => state,
    },
    ...(hasInsights ? [insightColumn(projectId)] : []),
    { key: "condition", label: "Tells when", cell: conditionText },
    {
      key: "value",
      label: "Last value",
      isNumber: true,
      cell: ({ last_value }) => (last_value === null ? "" : formatNumber(last_value)),
    },
    {
      key: "checked",
      label: "Checked",
      cell: ({ last_checked_at: at }) => (at === null ? "not yet" : <Ago at={at} />),
      sortBy: ({ last_checked_at: at }) => at,
    },
    { key: "told", label: "Tells", cell: targetText },
    ...(onEdit !== undefined && alerts?.some(mayChange) ? [actions(projectId, onEdit)] : []),
  ];
  return (
    <Table label="Alerts" columns={columns} rows={alerts} keyOf={({ id }) => id} nothing="There is no alert yet" />
  );
}

const mayChange = ({ user_access_level: level }: Alert): boolean => isEditor(level);

function State({ alert, zone }: { alert: Alert; zone: string }) {
  const { state, enabled, snoozed_until: until, checks } = alert;
  if (!enabled) return <span>Off</span>;
  if (state === "Snoozed" && until !== null) return <span>Snoozed until {formatDateTime(until, zone)}</span>;
  const [newest] = checks;
  const why = newest?.error ?? newest?.breaches.join(" ") ?? "";
  const isBad = state === "Firing" || state === "Errored";
  return (
    <span class={isBad ? "field-problem" : undefined} title={why}>
      {state}
      {isBad && <span class="unseen">: {why}</span>}
    </span>
  );
}

const insightColumn = (projectId: number): Column<Alert> => ({
  key: "insight",
  label: "Insight",
  cell: ({ insight }) => (
    <a dir="auto" href={`/project/${projectId}/insights/${insight.short_id}`}>
      {insight.name || insight.derived_name || insight.short_id}
    </a>
  ),
});

function actions(projectId: number, onEdit: (alert: Alert) => void): Column<Alert> {
  const change = (alert: Alert, body: { enabled?: boolean; snoozed_until?: string | null }) =>
    void told(async () => {
      const params = { ...paramsOf(projectId), id: alert.id };
      await call("PATCH /api/environments/{project_id}/alerts/{id}/", { params, body });
      reloadWatch(projectId);
    });
  const remove = (alert: Alert) =>
    void told(async () => {
      const params = { ...paramsOf(projectId), id: alert.id };
      await call("DELETE /api/environments/{project_id}/alerts/{id}/", { params });
      toast("The alert is deleted");
      reloadWatch(projectId);
    });
  const items = (alert: Alert): readonly MenuItem[] => [
    { label: "Edit", icon: "pencil", onSelect: () => onEdit(alert) },
    alert.state === "Snoozed"
      ? { label: "Wake up", icon: "sun", onSelect: () => change(alert, { snoozed_until: null }) }
      : { label: "Snooze for a day", icon: "moon", onSelect: () => change(alert, { snoozed_until: "1d" }) },
    alert.enabled
      ? { label: "Turn off", icon: "close", onSelect: () => change(alert, { enabled: false }) }
      : { label: "Turn on", icon: "check", onSelect: () => change(alert, { enabled: true }) },
    { label: "Delete", icon: "trash", isDangerous: true, onSelect: () => remove(alert) },
  ];
  return {
    key: "more",
    label: "Actions",
    isLabelHidden: true,
    isNumber: true,
    cell: (alert) =>
      mayChange(alert) && <Menu icon="more" label={`More for ${alert.name || "the alert"}`} items={items(alert)} />,
  };
}
