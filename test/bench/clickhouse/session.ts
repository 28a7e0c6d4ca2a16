export { Session } from "chdb";
