import { later } from "../../../ui/later.tsx";

/** The dialog of alerts, loaded when it is opened. */
export const Alerts = later(() => import("./alertsDialog.tsx").then((file) => file.AlertsDialog));

/** The dialog of subscriptions, loaded when it is opened. */
export const Subscriptions = later(() => import("./subscriptionsDialog.tsx").then((file) => file.SubscriptionsDialog));
