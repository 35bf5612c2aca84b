import { describeContract } from './contract.ts';
import { sandboxWay } from './supervisor-process.ts';

describeContract(sandboxWay);
