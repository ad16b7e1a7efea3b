#ifndef CCLOUDKIT_H
#define CCLOUDKIT_H

#endif
