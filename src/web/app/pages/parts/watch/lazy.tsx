import type { ComponentProps } from "preact";
import { useChunk } from "../../../ui/chunk.ts";
import type { AlertsDialog } from "./alertsDialog.tsx";
import type { SubscriptionsDialog } from "./subscriptionsDialog.tsx";

const loadAlerts = () => import("./alertsDialog.tsx").then((file) => file.AlertsDialog);
const loadSubscriptions = () => import("./subscriptionsDialog.tsx").then((file) => file.SubscriptionsDialog);

/** The dialog of alerts, loaded when it is opened. */
export function Alerts(props: ComponentProps<typeof AlertsDialog>) {
  const Dialog = useChunk(loadAlerts);
  return Dialog && <Dialog {...props} />;
}

/** The dialog of subscriptions, loaded when it is opened. */
export function Subscriptions(props: ComponentProps<typeof SubscriptionsDialog>) {
  const Dialog = useChunk(loadSubscriptions);
  return Dialog && <Dialog {...props} />;
}
