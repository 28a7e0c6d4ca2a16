export {
  DISTINCT_ID_COLUMNS,
  EVENT_COLUMNS,
  FIRST_PROPERTY_NUMBER,
  LakePublisher,
  PERSON_COLUMNS,
  type PublishView,
  type WrittenRows,
} from "./publisher.ts";
