// A table of compaction statistics that several tests shorten and dress.
#pragma once

#include <string>

namespace lsmlab::testing {

// The form of RocksDB until 2017 (a store of MyRocks).
inline const std::string kOldStatistics =
    "** Compaction Stats [default] **\n"
    "Level    Files   Size(MB) Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n"
    "  L0      1/0       0.94   0.2      0.0     0.0      0.0      18.3     18.3       0.0   0.0   "
    "   0.0     56.9       329      8360    0.039       0      0\n"
    "  L1      7/0     200.02   0.8    169.4    18.3    151.2     168.6     17.5       0.0   9.2   "
    "  26.6     26.5      6520       483   13.500   4807M   286K\n"
    " Sum      8/0     200.96   0.0    169.4    18.3    151.2     186.9     35.8       0.0  10.2   "
    "  33.1     34.3      6849      8843    1.533     13G   286K\n"
    "Uptime(secs): 57886.6 total, 57886.6 interval\n"
    "Flush(GB): accumulative 18.273, interval 0.000\n";

}  // namespace lsmlab::testing
