import { describeContract } from './contract.ts';
import { hostWay } from './supervisor-process.ts';

describeContract(hostWay);
