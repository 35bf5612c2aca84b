import { describeContract } from './contract.ts';
import { hostWay, sandboxWay } from './supervisor-process.ts';

describeContract(hostWay);
describeContract(sandboxWay);
