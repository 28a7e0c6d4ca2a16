/** What an import from Mixpanel is told. */
export interface MixpanelOptions {
  /** Files and folders, where no API is asked. */
  files: readonly string[];
  api: MixpanelApi | null;
  /** Times are by the clocks of this zone, as in projects made before 2023; null: UTC. */
  timezone: string | null;
  /** Properties of events that name groups. */
  groupKeys: readonly GroupKey[];
}

export interface GroupKey {
  /** The property, which is the type of the group here. */
  name: string;
  /** What Mixpanel calls its profiles by; null: they are not asked for. */
  dataGroupId: string | null;
}

export interface MixpanelApi {
  /** Where events are asked for, and where profiles are: without a slash at the end. */
  dataUrl: string;
  queryUrl: string;
  mixpanelProject: string;
  account: string;
  secret: string;
  /** Days `2024-01-31`, the last one included. */
  from: string;
  to: string;
  daysPerFile: number;
  profiles: boolean;
  /** Whose group profiles are asked for. */
  groups: readonly { name: string; dataGroupId: string }[];
}
